/** The system's key store as Electron gives it, by its asynchronous interface. */
import { safeStorage } from 'electron'
import type { KeyGuard } from '../adapters/secret-key.ts'

/** After the app is ready. Without a key store (a bare Linux desktop) the key stays in a file of the data folder. */
export const systemKeyGuard: KeyGuard = {
  isAvailable: () => safeStorage.isAsyncEncryptionAvailable(),
  wrap: (plain) => safeStorage.encryptStringAsync(plain),
  unwrap: async (wrapped) => (await safeStorage.decryptStringAsync(Buffer.from(wrapped))).result,
}

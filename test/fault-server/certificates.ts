/** Certificates of the test authority; `certificates/make.sh` made them. They protect nothing. */
import { readFileSync } from 'node:fs'

export type CertificateName = 'local' | 'renewed' | 'expired' | 'wrong-host' | 'self-signed'

const file = (name: string) => new URL(`certificates/${name}`, import.meta.url)
const read = (name: string) => readFileSync(file(name), 'utf8')

export const testCertificates = {
  /** PEM of the authority that a client must trust for `local` (localhost, 127.0.0.1, ::1) to be good */
  authority: () => read('authority.pem'),
  /** path of that PEM, for NODE_EXTRA_CA_CERTS */
  authorityPath: () => file('authority.pem').pathname,
  server: (name: CertificateName) => ({ key: read('server-key.pem'), cert: read(`${name}.pem`) }),
}

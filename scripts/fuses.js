/**
 * Electron's fuses: switches in its binary that no environment variable and no argument can turn back. They are
 * configured in electron-builder.yml; here they are read back from the packaged program.
 */
import { existsSync } from 'node:fs'
import path from 'node:path'
import { FuseState, FuseV1Options, FuseVersion, flipFuses, getCurrentFuseWire } from '@electron/fuses'

/** What every package has to have, by the names that electron-builder.yml uses. */
export const expectedFuses = {
  runAsNode: false,
  enableCookieEncryption: true,
  enableNodeOptionsEnvironmentVariable: false,
  enableNodeCliInspectArguments: false,
  enableEmbeddedAsarIntegrityValidation: true,
  onlyLoadAppFromAsar: true,
  grantFileProtocolExtraPrivileges: false,
}

/** Packaged programs below electron-builder's output folder, on the platform that packages. */
const programs = [
  'linux-unpacked/sluice',
  'linux-arm64-unpacked/sluice',
  'win-unpacked/Sluice.exe',
  'win-arm64-unpacked/Sluice.exe',
  'mac/Sluice.app',
  'mac-arm64/Sluice.app',
]

/** The fuses of one packaged program, by name. */
export async function readFuses(program) {
  const wire = await getCurrentFuseWire(program)
  if (wire.version !== FuseVersion.V1) throw new Error(`unknown version of fuses in ${program}`)
  return Object.fromEntries(
    Object.keys(expectedFuses).map((name) => {
      const option = name[0].toUpperCase() + name.slice(1)
      return [name, wire[FuseV1Options[option]] === FuseState.ENABLE]
    }),
  )
}

/** Reads every packaged program below `output` and throws when a fuse is not as it has to be. */
export async function checkFuses(output) {
  const packaged = programs.map((each) => path.join(output, each)).filter((each) => existsSync(each))
  if (packaged.length === 0) throw new Error(`no packaged program below ${output}`)
  for (const program of packaged) {
    const found = await readFuses(program)
    const wrong = Object.entries(expectedFuses).filter(([name, value]) => found[name] !== value)
    if (wrong.length > 0)
      throw new Error(`wrong fuses in ${program}: ${wrong.map(([name]) => name).join(', ')}`)
    console.log(`Fuses of ${path.relative(process.cwd(), program)}: as configured.`)
  }
}

/**
 * Lets tests attach to the main process of a packaged program: the one fuse in which the copy that they drive
 * differs from what people get.
 */
export async function allowInspection(program) {
  await flipFuses(program, {
    version: FuseVersion.V1,
    [FuseV1Options.EnableNodeCliInspectArguments]: true,
    resetAdHocDarwinSignature: true,
  })
}

/**
 * A fuse wire for the end of the test double's shell script: sentinel, version, length, and every fuse in the
 * state opposite to the one that has to come, so that reading back proves the flipping.
 */
export function fuseWireTemplate() {
  const sentinel = 'dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX'
  const count = Object.values(FuseV1Options).filter((each) => typeof each === 'number').length
  const states = Array.from({ length: count }, (_, index) => {
    const option = FuseV1Options[index]
    const name = option[0].toLowerCase() + option.slice(1)
    return expectedFuses[name] === true ? FuseState.DISABLE : FuseState.ENABLE
  })
  return Buffer.concat([Buffer.from(`# ${sentinel}`), Buffer.from([1, count, ...states]), Buffer.from('\n')])
}

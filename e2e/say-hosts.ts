import { electronProgram } from './electron-program.ts'

/** One line at the head of every report: what stands behind the project named `electron`. */
export default function sayHosts(): void {
  process.stdout.write(
    `e2e: "server" is the built server in Chromium, "electron" is the ${electronProgram().kind}\n`,
  )
}

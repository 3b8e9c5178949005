/** Which finished files run code when they are opened: the user is asked before that happens. */
import path from 'node:path'

const executableExtensions = new Set(
  (
    'action app appimage appx apk bat bin class cmd com command cpl csh deb desktop dll dmg elf exe gadget hta ' +
    'inf ins inx ipa iso isp jar jnlp job js jse jsp ksh lnk mobileconfig msc msi msix msp mst osx out pif pkg ' +
    'pl prf ps1 psm1 py pyc pyw rb reg rgs rpm run scf scr sct settingcontent-ms sh shb shs sys terminal ' +
    'url vb vbe vbs vbscript website workflow ws wsc wsf wsh xbap xll zsh'
  ).split(' '),
)

/** `mode` is the file's mode bits; execute bits mean nothing on Windows. */
export function canRunCode(file: string, mode: number, platform: NodeJS.Platform): boolean {
  const extension = path.extname(file).slice(1).toLowerCase()
  if (executableExtensions.has(extension)) return true
  return platform !== 'win32' && (mode & 0o111) !== 0
}

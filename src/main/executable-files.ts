/** Which finished files run code when they are opened: the user is asked before that happens. */
import path from 'node:path'

const executableExtensions = new Set(
  (
    'action app appimage application appref-ms appx apk bat bin class cmd com command cpl csh deb desktop diagcab ' +
    'dll dmg elf exe gadget hta inf ins inx ipa iso isp jar jnlp job js jse jsp ksh library-ms lnk mobileconfig ' +
    'msc msi msix msp mst osx out pif pkg pl prf ps1 psm1 py pyc pyw rb reg rgs rpm run scf scr sct ' +
    'search-ms searchconnector-ms settingcontent-ms sh shb shs sys terminal theme themepack url vb vbe vbs ' +
    'vbscript vhd vhdx website workflow ws wsc wsf wsh xbap xll zsh'
  ).split(' '),
)
/** Their extension says nothing; Windows reads a folder's look, icons and programs from such a file. */
const executableNames = new Set(['desktop.ini'])

/** `mode` is the file's mode bits; execute bits mean nothing on Windows. */
export function canRunCode(file: string, mode: number, platform: NodeJS.Platform): boolean {
  const extension = path.extname(file).slice(1).toLowerCase()
  if (executableExtensions.has(extension) || executableNames.has(path.basename(file).toLowerCase()))
    return true
  return platform !== 'win32' && (mode & 0o111) !== 0
}

/** The words that the desktop host itself shows (tray, dialogs, notifications), in the languages of the window. */

const english = {
  show: 'Show Sluice',
  pauseAll: 'Pause all',
  resumeAll: 'Resume all',
  quit: 'Quit',
  idle: 'Sluice: nothing is downloading',
  running: (count: number, speed: string) => `Sluice: ${count} downloading, ${speed}`,
  completed: 'Download complete',
  failed: 'Download failed',
  paused: 'Download paused',
  allFinished: 'All downloads are finished',
  storageWarning: 'Space is running out',
  fault: 'Something went wrong',
  open: 'Open',
  showInFolder: 'Show in folder',
  cancel: 'Cancel',
  closeQuestion: 'Downloads are still running',
  closeDetail: 'Keep them going without the window, or quit and go on from here at the next start?',
  keepGoing: 'Keep going',
  remember: 'Remember my choice',
  programQuestion: (name: string) => `“${name}” is a program or can run one`,
  programDetail: 'Open it only if you trust where it came from.',
  chooseFolder: 'Choose a folder',
  crashQuestion: 'The window keeps failing',
  crashDetail: 'Downloads are not affected. Try to show it again, or quit?',
  tryAgain: 'Try again',
  cannotStart: 'Sluice cannot start',
}
export type Texts = typeof english

const simplifiedChinese: Texts = {
  show: '显示 Sluice',
  pauseAll: '全部暂停',
  resumeAll: '全部继续',
  quit: '退出',
  idle: 'Sluice：没有正在下载的任务',
  running: (count, speed) => `Sluice：正在下载 ${count} 个任务，${speed}`,
  completed: '下载完成',
  failed: '下载失败',
  paused: '下载已暂停',
  allFinished: '所有下载均已完成',
  storageWarning: '磁盘空间即将不足',
  fault: '出现问题',
  open: '打开',
  showInFolder: '在文件夹中显示',
  cancel: '取消',
  closeQuestion: '仍有任务正在下载',
  closeDetail: '关闭窗口后继续下载，还是退出并在下次启动时从这里继续？',
  keepGoing: '继续下载',
  remember: '记住我的选择',
  programQuestion: (name) => `“${name}”是程序，或可以运行程序`,
  programDetail: '只有信任其来源时才打开。',
  chooseFolder: '选择文件夹',
  crashQuestion: '窗口反复出错',
  crashDetail: '下载不受影响。重新显示窗口，还是退出？',
  tryAgain: '重试',
  cannotStart: 'Sluice 无法启动',
}

/** The words for a language setting; `system` follows the locale of the desktop. */
export function textsFor(language: string, systemLocale: string): Texts {
  const wanted = language === 'system' ? systemLocale : language
  return /^zh\b/i.test(wanted) ? simplifiedChinese : english
}

const units = ['B/s', 'KB/s', 'MB/s', 'GB/s']

/** A speed in three digits at most and a unit of 1000 bytes, as the window shows it. */
export function formatSpeed(bytesPerSecond: number): string {
  let value = bytesPerSecond
  let unit = 0
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000
    unit++
  }
  const digits = unit === 0 || value >= 99.95 ? 0 : 1
  return `${value.toFixed(digits)} ${units[unit] ?? ''}`
}

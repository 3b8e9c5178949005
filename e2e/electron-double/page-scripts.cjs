'use strict'
/** Builds the two scripts that every document starts with, one for each world, out of the files in page/. */
const fs = require('node:fs')
const path = require('node:path')

const read = (name) =>
  fs
    .readFileSync(path.join(__dirname, 'page', name), 'utf8')
    .replace(/^\/\*\*[^]*?\*\/\n;/, '')
    .trim()

const codecText = read('codec.js')
const linkText = read('world-link.js')
const mainWorldText = read('main-world.js')
const isolatedWorldText = read('isolated-world.js')

/** The main process's own end of the codec. */
exports.codec = (0, eval)(codecText)()

/** Only main frames get anything; frames inside a page are as bare as in Electron. */
const inMainFrame = (body, sourceUrl) => `if (window.top === window) { ${body} }\n//# sourceURL=${sourceUrl}`

/** `key` makes the names of the link's events unguessable for the page. */
exports.mainWorldScript = (key) =>
  inMainFrame(
    `${mainWorldText}(${linkText}(${JSON.stringify(`${key}-in`)}, ${JSON.stringify(`${key}-out`)}))`,
    'electron-double/main-world.js',
  )

exports.isolatedWorldScript = (key, preloadFile, processFacts) => {
  const preload = preloadFile === undefined ? '' : fs.readFileSync(preloadFile, 'utf8')
  const runPreload = `(function (require, process) {
    const module = { exports: {} }
    ;(function (exports, global) {${preload}
    }).call(module.exports, module.exports, globalThis)
  })`
  const link = `${linkText}(${JSON.stringify(`${key}-out`)}, ${JSON.stringify(`${key}-in`)})`
  return inMainFrame(
    `${isolatedWorldText}(${codecText}(), ${link}, ${JSON.stringify(processFacts)}, ${runPreload})`,
    preloadFile ?? 'electron-double/isolated-world.js',
  )
}

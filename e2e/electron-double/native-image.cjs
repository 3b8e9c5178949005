'use strict'
/** `nativeImage`: PNG bytes and no more. */
const fs = require('node:fs')

const imageOf = (png) => ({
  isEmpty: () => png.length === 0,
  toPNG: () => png,
  toDataURL: () => `data:image/png;base64,${png.toString('base64')}`,
  // width and height stand at a fixed place in a PNG's first chunk
  getSize: () =>
    png.length < 24 ? { width: 0, height: 0 } : { width: png.readUInt32BE(16), height: png.readUInt32BE(20) },
  resize() {
    return this
  },
  setTemplateImage() {},
})

exports.nativeImage = {
  createEmpty: () => imageOf(Buffer.alloc(0)),
  createFromPath: (file) => imageOf(fs.existsSync(file) ? fs.readFileSync(file) : Buffer.alloc(0)),
  createFromBuffer: imageOf,
  createFromDataURL: (url) => imageOf(Buffer.from(url.split(',')[1] ?? '', 'base64')),
}

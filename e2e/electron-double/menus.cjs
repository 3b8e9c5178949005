'use strict'
/** `Menu`, `MenuItem`, `Tray`: kept so that tests can read and click them; nothing is drawn. */
const { EventEmitter } = require('node:events')
const { app } = require('./app.cjs')
const { recorded } = require('./launched.cjs')

class MenuItem {
  constructor(options) {
    const { submenu, click, ...rest } = options
    Object.assign(this, { enabled: true, visible: true, checked: false, label: options.role ?? '' }, rest)
    this.type = rest.type ?? (submenu === undefined ? 'normal' : 'submenu')
    if (submenu !== undefined)
      this.submenu = Array.isArray(submenu) ? Menu.buildFromTemplate(submenu) : submenu
    this.click = (event, window) => {
      if (this.type === 'checkbox') this.checked = !this.checked
      if (this.role === 'quit') app.quit()
      click?.(this, window, event)
    }
  }
}

class Menu extends EventEmitter {
  static #application = null
  items = []

  static buildFromTemplate(template) {
    const menu = new Menu()
    menu.items = template.map((item) => (item instanceof MenuItem ? item : new MenuItem(item)))
    return menu
  }
  static setApplicationMenu(menu) {
    Menu.#application = menu
  }
  static getApplicationMenu() {
    return Menu.#application
  }
  append(item) {
    this.items.push(item)
  }
  popup() {}
  closePopup() {}
  getMenuItemById(id) {
    for (const item of this.items) {
      const found = item.id === id ? item : item.submenu?.getMenuItemById(id)
      if (found) return found
    }
    return null
  }
}

class Tray extends EventEmitter {
  #destroyed = false
  toolTip = ''
  menu = null

  constructor(image) {
    super()
    this.image = image
    recorded.trays.push(this)
  }
  setToolTip(text) {
    this.toolTip = text
  }
  setContextMenu(menu) {
    this.menu = menu
  }
  setImage(image) {
    this.image = image
  }
  setTitle() {}
  destroy() {
    this.#destroyed = true
  }
  isDestroyed() {
    return this.#destroyed
  }
}

exports.Menu = Menu
exports.MenuItem = MenuItem
exports.Tray = Tray

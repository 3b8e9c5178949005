import type { Catalogue } from './catalogue.ts'

export const zhCn: Catalogue = {}

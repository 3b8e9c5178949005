import packageFile from '../../package.json' with { type: 'json' }

/** The product's version, as in package.json. */
export const version = packageFile.version

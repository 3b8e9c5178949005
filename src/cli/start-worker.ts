/** The worker of a download from the command line, with its compiled form kept. */
import { entryPoint } from '../adapters/entry-point.ts'
import { runCompiled } from './compiled-code.ts'

runCompiled(entryPoint('worker'))

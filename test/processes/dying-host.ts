/**
 * A host that is to be killed. Arguments: data folder, folder for downloads, program in FFmpeg's place, a plain link,
 * the links of a pair. Tells its parent the processes it has recorded once the pair is being joined.
 */
import { RealHost } from './real-host.ts'

const [dataFolder = '', downloads = '', ffmpegPath = '', link = '', video = '', audio = ''] =
  process.argv.slice(2)
const host = await RealHost.start({ dataFolder, downloads, ffmpegPath })
const [plain = ''] = await host.add(link)
const { results } = await host.call('tasks.add', { pair: { video, audio } })
const film = results[0]?.kind === 'added' ? results[0].id : ''
const recorded = await host.until(async () => {
  const attempts = [(await host.task(plain)).attempt, (await host.task(film)).attempt]
  const [one, two] = attempts
  if (!one?.worker || !two?.worker || two.children.length === 0) return null
  return { workers: [one.worker, two.worker], children: two.children }
}, 'the pair is joined')
process.send?.({ plain, film, ...recorded })

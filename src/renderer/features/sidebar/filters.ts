import type { ListFilter } from '../../../shared/view.ts'
import type { MessageKey } from '../../i18n/catalogue.ts'
import type { IconName } from '../../parts/icon.tsx'

/** The filters in the order in which they are shown. */
export const filterFacts: Readonly<Record<ListFilter, { icon: IconName; label: MessageKey }>> = {
  all: { icon: 'all', label: 'filter.all' },
  running: { icon: 'down', label: 'filter.running' },
  waiting: { icon: 'clock', label: 'filter.waiting' },
  paused: { icon: 'pause', label: 'filter.paused' },
  completed: { icon: 'done', label: 'filter.completed' },
  failed: { icon: 'alert', label: 'filter.failed' },
}

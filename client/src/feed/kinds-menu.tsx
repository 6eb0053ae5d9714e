import { feedTexts } from '../texts/feed.ts'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { Menu, type MenuEntry } from '../ui/menu.tsx'
import { KNOWN_VERBS, verbName } from './headline.ts'

type Props = { verb: string | undefined; onChange: (verb: string | undefined) => void }

/** One kind of activity, or all of them. A kind that only some tool knows is listed while it is chosen. */
export function KindsMenu({ verb, onChange }: Props) {
  const verbs = verb === undefined || KNOWN_VERBS.includes(verb) ? KNOWN_VERBS : [verb, ...KNOWN_VERBS]
  const entries: MenuEntry[] = [
    { text: feedTexts.kinds.all, checked: verb === undefined, onSelect: () => onChange(undefined) },
    'line',
    ...verbs.map((name) => ({ text: verbName(name), checked: name === verb, onSelect: () => onChange(name) })),
  ]
  const name = verb === undefined ? feedTexts.kinds.all : verbName(verb)
  return (
    <Menu
      label={feedTexts.kinds.label}
      entries={entries}
      trigger={
        <Button look="ghost" size="sm" icon="filter" aria-label={`${feedTexts.kinds.label}: ${name}`}>
          <span className={verb === undefined ? 'max-md:hidden' : 'text-ink'}>{name}</span>
          <Icon name="chevron-down" size={12} className="text-ink-3 max-md:hidden" />
        </Button>
      }
    />
  )
}

// One activity. Unread is a dot and heavier names, a mention an amber edge, the chosen row an accent edge: never colour
// alone. Its actions are only there while somebody is at it, which keeps a long list light.
import { memo, Suspense, useEffect, useRef, useState } from 'react'
import { Link } from 'wouter'
import type { Edited } from '#shared/activity.ts'
import type { FeedItem } from '#shared/feed.ts'
import type { Person } from '#shared/person.ts'
import { useWords } from '../hooks/useEditing.ts'
import { lazyPart } from '../lib/lazy-part.ts'
import { places } from '../lib/places.ts'
import { goneOf } from '../live/merge.ts'
import { feedTexts } from '../texts/feed.ts'
import { Avatar } from '../ui/avatar.tsx'
import { Icon } from '../ui/icon.tsx'
import { type Group, groupHeadline } from './grouping.ts'
import { headlineOf, signOf } from './headline.ts'
import { RowDetails } from './row-details.tsx'
import { RowHeadline } from './row-headline.tsx'
import { RowTalk, type ThreadState } from './row-talk.tsx'
import { RowText } from './row-text.tsx'
import { timeOf } from './rows.ts'
import { exactTime, shortTime } from './when.ts'

const RowActions = lazyPart(
  () => import('./row-actions.tsx'),
  (module) => module.RowActions,
)

const RowEdit = lazyPart(
  () => import('./row-edit.tsx'),
  (module) => module.RowEdit,
)
const DeleteDialog = lazyPart(
  () => import('./delete-dialog.tsx'),
  (module) => module.DeleteDialog,
)

export type RowProps = {
  item: FeedItem
  /** Of an activity that was deleted in front of the reader: as high as it was, so that nothing moves. */
  height: number | null
  me: Person
  /** Any moment of today. */
  now: number
  place: number
  /** How many there are; -1 while older ones have not been loaded. */
  size: number
  /** Follows another row, with a line between them. */
  joined: boolean
  selected: boolean
  tabbable: boolean
  showTopic: boolean
  /** Just arrived. Asked once, when the row is first drawn. */
  unfolds: (id: number) => boolean
  /** The fold of which this is the head. */
  group: Group | null
  /** Inside a fold that is open. */
  inner: boolean
  onGroup: (id: string, open: boolean) => void
  thread: ThreadState
  onThread: (id: number, state: ThreadState) => void
  watch: (element: Element, ...items: readonly FeedItem[]) => () => void
}

const BASE =
  'relative grid scroll-mt-2 grid-cols-[var(--avatar)_minmax(0,1fr)] gap-x-(--row-gap) bg-(--row-bg) py-(--row-pad-y) pr-(--gutter-r) pl-(--gutter-l) focus-visible:shadow-ring-inset'
const LINE =
  'before:absolute before:top-0 before:right-(--gutter-r) before:left-[calc(var(--gutter-l)+var(--avatar)+var(--row-gap))] before:h-px before:bg-line-faint'

function background(selected: boolean, mentioned: boolean): string {
  if (selected) return '[--row-bg:var(--bg-selected)]'
  if (mentioned) return '[--row-bg:var(--mention-tint)]'
  return '[--row-bg:var(--bg-surface)] hover:[--row-bg:var(--bg-hover)]'
}

export const ActivityRow = memo(function ActivityRow(props: RowProps) {
  const { item, me, selected, watch } = props
  const mentioned = item.mentions.includes(me.handle)
  const [hovered, setHovered] = useState(false)
  const [menu, setMenu] = useState(false)
  const [doing, setDoing] = useState<'edit' | 'delete' | null>(null)
  const words = useWords(item)
  const gone = goneOf(item)
  const [fresh] = useState(() => props.unfolds(item.id))
  const article = useRef<HTMLElement>(null)
  const { group } = props
  const folded = group !== null && !group.open ? group : null
  const unread = folded ? folded.items.some((other) => !other.read) : !item.read
  useEffect(
    () => (article.current ? watch(article.current, ...(folded?.items ?? [item])) : undefined),
    [watch, item, folded],
  )

  const { time } = timeOf(item)
  const headline = `headline-${item.id}`
  return (
    <div className={fresh ? 'row-fresh' : undefined}>
      <article
        ref={article}
        data-item={item.id}
        tabIndex={props.tabbable ? 0 : -1}
        aria-labelledby={headline}
        aria-posinset={props.place}
        aria-setsize={props.size}
        onPointerEnter={(event) => event.pointerType === 'mouse' && setHovered(true)}
        onPointerLeave={() => setHovered(false)}
        className={`${BASE} ${background(selected, mentioned)} ${props.joined && !selected ? LINE : ''}`}
        {...(props.height === null ? {} : { style: { minHeight: props.height } })}
      >
        {(selected || mentioned) && (
          <span
            className={`pointer-events-none absolute inset-y-0 left-0 w-0.5 ${selected ? 'bg-accent' : 'bg-mention-bar'}`}
          />
        )}
        {gone ? (
          <p id={headline} className="col-span-2 self-center text-13 text-ink-3 italic">
            {feedTexts.row.gone[gone]}
          </p>
        ) : (
          <>
            <UnreadDot read={!unread} />
            {(props.inner || group?.open) && (
              <span
                className={`pointer-events-none absolute bottom-0 left-[calc(var(--gutter-l)+var(--avatar)/2-1px)] w-0.5 bg-line ${props.inner ? 'top-0' : 'top-[calc(var(--row-pad-y)+var(--avatar)+4px)]'}`}
              />
            )}
            <RowAvatar item={item} mentioned={mentioned} />
            <div className="min-w-0">
              <div className="flex items-start gap-3">
                <RowHeadline
                  item={item}
                  parts={folded ? groupHeadline(folded.items, me) : headlineOf(item, me)}
                  strong={unread}
                  id={headline}
                  showTopic={props.showTopic}
                />
                <Link
                  to={places.activity(item.id)}
                  title={exactTime(time)}
                  className="-my-0.5 flex-none py-0.5 text-12 leading-5 whitespace-nowrap text-ink-3 tabular-nums no-underline hover:underline"
                >
                  <time dateTime={item.publishedAt}>{shortTime(time, props.now)}</time>
                </Link>
              </div>
              {mentioned && <span className="sr-only">{feedTexts.mentionsYou}</span>}
              {doing === 'edit' ? (
                <Suspense>
                  <RowEdit item={item} onDone={() => setDoing(null)} />
                </Suspense>
              ) : (
                words !== '' && <RowText text={words} handle={me.handle} />
              )}
              {item.edited && <EditedNote edited={item.edited} />}
              <RowDetails item={item} />
              {group && (
                <button
                  type="button"
                  data-group={group.id}
                  aria-expanded={group.open}
                  onClick={() => props.onGroup(group.id, !group.open)}
                  className="mt-1 -ml-1 flex min-h-(--target-min) items-center gap-1 rounded-4 px-1 text-12 font-medium text-ink-2 hover:text-ink"
                >
                  <Icon name={group.open ? 'chevron-up' : 'chevron-down'} size={12} />
                  {group.open ? feedTexts.group.fold : feedTexts.group.show(group.items.length)}
                </button>
              )}
              <RowTalk item={item} thread={props.thread} onThread={props.onThread} />
            </div>
            {(hovered || selected || menu) && (
              <Suspense>
                <RowActions
                  item={item}
                  me={me}
                  onMenu={setMenu}
                  onComment={() => props.onThread(item.id, 'write')}
                  onEdit={() => setDoing('edit')}
                  onDelete={() => setDoing('delete')}
                />
              </Suspense>
            )}
          </>
        )}
      </article>
      {doing === 'delete' && (
        <Suspense>
          <DeleteDialog item={item} onDone={() => setDoing(null)} />
        </Suspense>
      )}
    </div>
  )
})

function EditedNote({ edited: { at, by } }: { edited: Edited }) {
  const time = Date.parse(at)
  return (
    <p title={exactTime(time)} className="text-12 text-ink-3">
      {by ? feedTexts.row.editedBy(by.name) : feedTexts.row.edited}
    </p>
  )
}

function UnreadDot({ read }: { read: boolean }) {
  return (
    <span
      className={`absolute top-[calc(var(--row-pad-y)+var(--avatar)/2-4px)] left-[calc(var(--gutter-l)-18px)] size-2 max-md:left-2 rounded-full bg-unread transition-opacity duration-(--t-base) ${read ? 'opacity-0' : ''}`}
    >
      {!read && <span className="sr-only">{feedTexts.unread}</span>}
    </span>
  )
}

function RowAvatar({ item, mentioned }: { item: FeedItem; mentioned: boolean }) {
  const sign = signOf(item, mentioned)
  if (item.actor.kind === 'tool') return <Avatar kind="tool" icon={sign?.icon ?? 'bot'} tone={sign?.tone ?? 'plain'} />
  return <Avatar handle={item.actor.handle} name={item.actor.name} {...(sign ? { badge: sign } : {})} />
}

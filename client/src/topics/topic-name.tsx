import { splitTopic } from '../lib/places.ts'

/** The kind quiet, the name plain. */
export function TopicName({ name }: { name: string }) {
  const parts = splitTopic(name)
  return (
    <>
      <span className="font-normal text-ink-3">{parts.kind}</span>
      {parts.name}
    </>
  )
}

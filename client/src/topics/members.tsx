import { useMutation } from '@tanstack/react-query'
import type { MemberRole, MemberView, TopicView } from '#shared/topic.ts'
import { trpc } from '../lib/trpc.ts'
import { useMe } from '../lib/use-me.ts'
import { texts } from '../texts/shell.ts'
import { topicTexts } from '../texts/topics.ts'
import { Avatar } from '../ui/avatar.tsx'
import { IconButton } from '../ui/icon-button.tsx'
import { Select } from '../ui/input.tsx'
import { Group } from '../ui/page.tsx'
import { useToast } from '../ui/toast.tsx'
import { AddMember } from './add-member.tsx'
import { refreshTopics, sentence } from './use-topics.ts'

const t = topicTexts.manage

export function Members({ topic, members }: { topic: TopicView; members: MemberView[] }) {
  const me = useMe()
  const toast = useToast()
  const owner = topic.role === 'owner'
  const failed = (error: unknown) => toast.show({ text: sentence(error), tone: 'bad' })
  const set = useMutation(trpc.topics.members.set.mutationOptions({ onSuccess: refreshTopics, onError: failed }))
  const remove = useMutation(trpc.topics.members.remove.mutationOptions({ onSuccess: refreshTopics, onError: failed }))
  const busy = set.isPending || remove.isPending
  const sorted = [...members].sort(
    (a, b) => Number(b.role === 'owner') - Number(a.role === 'owner') || a.name.localeCompare(b.name, 'en'),
  )

  return (
    <Group title={t.members} hint={t.membersHint[topic.visibility]}>
      {owner && (
        <AddMember
          taken={new Set(members.map((member) => member.handle))}
          onAdd={(person) =>
            set.mutate(
              { topic: topic.name, handle: person.handle, role: 'member' },
              { onSuccess: () => toast.show({ text: t.added(person.name) }) },
            )
          }
        />
      )}
      <ul className="rounded-8 border border-line">
        {sorted.map((member) => {
          const self = member.id === me.id
          return (
            <li
              key={member.id}
              className="flex items-center gap-2 border-line-faint px-3 py-2 md:gap-3 not-first:border-t"
            >
              <Avatar handle={member.handle} name={member.name} size="28px" />
              <p className="min-w-0 flex-1 leading-tight">
                <span className="block truncate font-medium">
                  {member.name} {self && <span className="font-normal text-ink-3">({t.you})</span>}
                </span>
                <span className="block truncate text-12 text-ink-3">@{member.handle}</span>
              </p>
              {owner ? (
                <>
                  <Select
                    aria-label={t.role(member.name)}
                    value={member.role}
                    disabled={busy}
                    onChange={(event) =>
                      set.mutate({
                        topic: topic.name,
                        handle: member.handle,
                        role: event.target.value as MemberRole,
                      })
                    }
                    className="w-26! flex-none pointer-coarse:w-28!"
                  >
                    <option value="owner">{texts.topic.role.owner}</option>
                    <option value="member">{texts.topic.role.member}</option>
                  </Select>
                  <IconButton
                    icon="trash"
                    label={t.remove(member.name)}
                    disabled={busy || self}
                    onClick={() =>
                      remove.mutate(
                        { topic: topic.name, handle: member.handle },
                        { onSuccess: () => toast.show({ text: t.removed(member.name) }) },
                      )
                    }
                  />
                </>
              ) : (
                <span className="text-ink-2">{texts.topic.role[member.role]}</span>
              )}
            </li>
          )
        })}
      </ul>
    </Group>
  )
}

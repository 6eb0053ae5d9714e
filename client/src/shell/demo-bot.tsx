// In development a bot keeps the feed moving; this pauses it.
import { useMutation } from '@tanstack/react-query'
import { queryClient } from '../lib/query-client.ts'
import { trpc } from '../lib/trpc.ts'
import { useMe } from '../lib/use-me.ts'
import { texts } from '../texts/shell.ts'
import { Icon } from '../ui/icon.tsx'

export function DemoBot() {
  const me = useMe()
  const setBot = useMutation(
    trpc.demo.setBot.mutationOptions({
      onSuccess: ({ running }) =>
        queryClient.setQueryData(
          trpc.me.get.queryKey(),
          (before) => before && { ...before, demoBot: { ...before.demoBot, running } },
        ),
    }),
  )
  if (!me.demoBot) return null
  const { running } = me.demoBot
  return (
    <div className="flex h-(--nav-h) items-center gap-2.5 px-2 text-12 text-ink-3">
      <Icon name="bot" />
      <span className="min-w-0 flex-1 truncate">
        {texts.bot.name} {running ? texts.bot.running : texts.bot.paused}
      </span>
      <button
        type="button"
        disabled={setBot.isPending}
        onClick={() => setBot.mutate({ running: !running })}
        className="h-6 rounded-4 px-1.5 font-medium text-ink-2 hover:bg-active hover:text-ink"
      >
        {running ? texts.bot.pause : texts.bot.resume}
        <span className="sr-only"> {texts.bot.name}</span>
      </button>
    </div>
  )
}

// A bot that follows a topic through the Signal Hub and answers whoever asks it how far it is.
//
//   HUB_URL=ws://localhost:8787/v1/feed/hub/connect HUB_TOKEN_COMMAND='./mint-token' node docs/examples/hub-bot.ts topic:1
//
// The command prints a token for the actor @(bot/follower) with the topic in `topics` (docs/HUB.md, Tokens); it is run again
// whenever a fresh one is needed, because none lives longer than five minutes.
import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { promisify } from 'node:util'
import { systemClock, systemRandom } from '#shared/clock.ts'
import { SignalHubClient } from '#shared/hub/signal-hub-client.ts'

const { HUB_URL: url = 'ws://localhost:8787/v1/feed/hub/connect', HUB_TOKEN_COMMAND: command } = process.env
const [topic] = process.argv.slice(2)
if (command === undefined || topic === undefined) {
  console.error('Usage: HUB_TOKEN_COMMAND=… node docs/examples/hub-bot.ts <topic>')
  process.exit(1)
}

const run = promisify(execFile)
let last = 0

const bot = new SignalHubClient({
  url,
  actor: '@(bot/follower)',
  token: async () => (await run(command)).stdout.trim(),
  openSocket: (target, protocols, { onOpen, onText, onClose }) => {
    const socket = new WebSocket(target, protocols)
    socket.addEventListener('open', onOpen)
    socket.addEventListener('message', ({ data }) => onText(String(data)))
    socket.addEventListener('close', ({ code, reason }) => onClose(code, reason))
    return {
      send: (text) => socket.readyState === WebSocket.OPEN && socket.send(text),
      close: (code, reason) => socket.close(code, reason),
    }
  },
  clock: systemClock,
  random: systemRandom,
  timer: (afterMs, act) => {
    const timer = setTimeout(act, afterMs)
    return () => clearTimeout(timer)
  },
  newId: () => randomUUID(),
  onState: (state, why) => console.log(`${state}: ${why}`),
  onTopic: ({ seq, message }) => {
    last = seq
    console.log(`${topic} ${seq} ${message.type} ${JSON.stringify(message.payload)}`)
  },
  onGap: (_, after, upTo) => console.log(`The hub has ${after + 1} to ${upTo} no more; ask the origin for them.`),
  onTopicEnded: (_, reason) => console.log(`No longer ours to follow: ${reason}`),
  onMessage: async ({ from, type }) => {
    if (type === 'how-far') await bot.ask(from, 'this-far', { topic, last })
  },
})

bot.subscribe([{ topic, since: 0 }])
bot.start()
process.once('SIGINT', () => {
  bot.stop()
  process.exit(0)
})

// Every English word about webhooks and the log of requests.
import type { DeliveryState, PauseReason } from '#shared/webhook.ts'

const count = (n: number) => n.toLocaleString('en')

export const webhookTexts = {
  title: 'Webhooks',
  short: 'signed as Standard Webhooks',
  add: 'Add endpoint',
  list: 'Your endpoints',
  none: 'No endpoints yet',
  noneHint: 'Have every activity of a topic posted to an address of yours, signed, and tried again until it arrives.',
  noTopic: 'a topic that you are no longer in',
  bars: (delivered: number, all: number) => `${count(delivered)} of the last ${count(all)} delivered`,
  healthy: 'Healthy',
  fresh: 'New',
  failing: 'Failing',
  paused: 'Paused',
  since: (when: string) => `No delivery has succeeded since ${when}.`,
  why: {
    owner: 'You have paused it. Nothing is sent.',
    failing: 'It failed for three days, so nothing is sent any more. Put it right, then resume.',
    gone: 'It answered 410 Gone, so nothing is sent any more.',
    rights: 'You are no longer in its topic, so nothing is sent any more.',
  } satisfies Record<PauseReason, string>,
  test: 'Send a test',
  pause: 'Pause',
  resume: 'Resume',
  reseal: 'New secret',
  remove: 'Remove',
  removeAsk: (url: string) => `Remove ${url}?`,
  removeHint: 'Nothing is sent there any more, and its log goes with it.',
  removed: 'The endpoint is removed.',
  resealAsk: 'Make a new secret?',
  resealHint: 'From then on everything is signed with the new one, and receivers that know the old one refuse it.',

  form: {
    title: 'Add endpoint',
    url: 'Address',
    urlHint: 'We post there, over https. Redirects are not followed.',
    button: 'Add endpoint',
    topic: 'Topic',
  },
  ready: {
    title: 'The endpoint is ready',
    once: 'The secret is shown once. Keep it where your receiver finds it, and nowhere else.',
    secret: 'Secret',
    check: 'Check the signature with any library for Standard Webhooks:',
    done: 'Done',
  },

  log: {
    title: 'Deliveries',
    empty: 'Nothing was sent yet.',
    sent: 'Sent',
    what: 'Activity',
    answer: 'Answer',
    time: 'Time',
    next: 'State',
    older: 'Show older',
    open: (about: string) => `Delivery of ${about}`,
    again: 'Send again',
    againQueued: 'It is sent again, with the same id.',
    noAnswer: 'none',
    held: 'waits',
    states: {
      waiting: () => 'waits for its turn',
      retrying: (tries: number) => `${count(tries)} tries, more to come`,
      delivered: () => 'delivered',
      failed: (tries: number) =>
        tries === 0 ? 'not sent' : tries === 1 ? 'given up after 1 try' : `given up after ${count(tries)} tries`,
    } satisfies Record<DeliveryState, (tries: number) => string>,
  },
  details: {
    request: 'Request',
    deleted: 'What it was about is deleted, and so are its words.',
    answers: 'Answers',
    none: 'It was not sent yet.',
    try: (n: number) => `Try ${count(n)}`,
    ms: (n: number) => `${count(n)} ms`,
    empty: 'an empty answer',
  },

  requests: {
    title: 'Requests, live',
    pausedTitle: 'Requests, paused',
    pause: 'Pause',
    resume: 'Resume',
    all: 'All keys',
    filter: 'Key',
    none: 'No requests yet',
    noneHint: 'What your keys ask appears here within two seconds, with the answer.',
    list: 'Requests of your tools, newest first',
    failed: 'The log cannot be read just now.',
  },

  bell: (url: string, why: PauseReason) => `A webhook is paused: ${url}. ${webhookTexts.why[why]}`,
}

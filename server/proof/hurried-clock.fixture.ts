// A clock for readers that may run faster than the day: rests of a minute and watchdogs of three beats are then over in
// seconds. Its timers keep to it, also when the speed changes while they wait.
import type { Timers } from '../../client/src/live/event-stream.ts'

export type HurriedClock = { now: () => number; timers: Timers; setSpeed: (speed: number) => void; stop: () => void }

type Alarm = { at: number; run: () => void; timer: NodeJS.Timeout | undefined }

export function hurriedClock(startSpeed = 1): HurriedClock {
  let speed = startSpeed
  let since = performance.now()
  let base = Date.now()
  const alarms = new Set<Alarm>()
  const now = () => base + (performance.now() - since) * speed

  function arm(alarm: Alarm) {
    clearTimeout(alarm.timer)
    alarm.timer = setTimeout(
      () => {
        alarms.delete(alarm)
        alarm.run()
      },
      (alarm.at - now()) / speed,
    )
  }
  const clear = (alarm: unknown) => {
    if (!alarms.delete(alarm as Alarm)) return
    clearTimeout((alarm as Alarm).timer)
  }

  return {
    now,
    timers: {
      set(run, ms) {
        const alarm: Alarm = { at: now() + ms, run, timer: undefined }
        alarms.add(alarm)
        arm(alarm)
        return alarm
      },
      clear,
    },
    setSpeed(next) {
      base = now()
      since = performance.now()
      speed = next
      for (const alarm of alarms) arm(alarm)
    },
    stop: () => alarms.forEach(clear),
  }
}

// A small chart of the last minutes. It only shows the course: its number always stands beside it.
import { stretches } from './paths.ts'

export type Tone = 'ok' | 'warn' | 'bad' | 'plain'

const COLOURS: Record<Tone, string> = { ok: 'text-live', warn: 'text-warn', bad: 'text-bad', plain: 'text-ink-3' }
const WIDTH = 200
const HEIGHT = 30

type Props = { values: readonly (number | null)[]; tone?: Tone; filled?: boolean; className?: string }

export function Spark({ values, tone = 'plain', filled = false, className = '' }: Props) {
  return (
    <svg
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      aria-hidden="true"
      className={`block ${COLOURS[tone]} ${className}`}
    >
      {stretches(values, { width: WIDTH, height: HEIGHT, pad: 3 }).map(({ line, area }) => (
        <g key={line}>
          {filled && <path d={area} fill="currentColor" opacity=".13" />}
          <path
            d={line}
            fill="none"
            stroke="currentColor"
            strokeWidth="1.5"
            strokeLinejoin="round"
            vectorEffect="non-scaling-stroke"
          />
        </g>
      ))}
    </svg>
  )
}

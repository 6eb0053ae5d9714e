/** Three signals from one corner; the same drawing as public/favicon.svg. */
export function Logo({ size = 22 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true" className="block flex-none">
      <rect width="32" height="32" rx="8.5" className="fill-accent" />
      <g fill="none" className="stroke-on-accent" strokeWidth="2.8" strokeLinecap="round">
        <path d="M8.5 20.5c2 0 3.5 1.5 3.5 3.5" />
        <path d="M8.5 14.2c5.4 0 9.8 4.4 9.8 9.8" />
        <path d="M8.5 8c8.9 0 16 7.1 16 16" />
      </g>
    </svg>
  )
}

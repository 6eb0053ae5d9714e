// The operator console. The server decides who may see anything of it; here members are only told so. Dark unless somebody
// has chosen light for themselves.
import { useLayoutEffect, useState } from 'react'
import { Redirect, Route, Switch } from 'wouter'
import { places } from '../lib/places.ts'
import { preferences, usePreferences } from '../lib/preferences.ts'
import { useMe } from '../lib/use-me.ts'
import { useTitle } from '../lib/use-title.ts'
import { opsTexts } from '../texts/ops.ts'
import { texts } from '../texts/shell.ts'
import { ButtonLink } from '../ui/button.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { OpsContext } from './ops-context.ts'
import { OpsFrame } from './ops-frame.tsx'
import { opsPlaces } from './ops-places.ts'
import { SECTIONS } from './sections.ts'
import { type TrendMinutes, usePicture, useTrends } from './use-picture.ts'

export function OpsPage() {
  const me = useMe()
  useTitle(opsTexts.title)
  useDarkUnlessChosen()
  if (me.role !== 'operator')
    return (
      <main className="grid min-h-full place-items-center">
        <EmptyState
          icon="lock"
          title={opsTexts.refused.title}
          level={1}
          action={<ButtonLink to={places.all}>{texts.notFound.home}</ButtonLink>}
        >
          {opsTexts.refused.text}
        </EmptyState>
      </main>
    )
  return <Console />
}

function Console() {
  const [minutes, setMinutes] = useState<TrendMinutes>(5)
  const { picture, answeredAt, failing } = usePicture()
  const trends = useTrends(minutes)
  return (
    <OpsFrame
      picture={picture}
      trends={trends}
      lastAt={failing ? answeredAt : null}
      minutes={minutes}
      onMinutes={setMinutes}
    >
      {picture && (
        <OpsContext value={{ picture, trends }}>
          <Switch>
            {SECTIONS.map(({ path, Page }) => (
              <Route key={path} path={path === opsPlaces.runbooks ? `${path}/:name?` : path}>
                <Page />
              </Route>
            ))}
            <Route>
              <Redirect to={opsPlaces.overview} replace />
            </Route>
          </Switch>
        </OpsContext>
      )}
    </OpsFrame>
  )
}

/** On the page itself, not on a part of it: menus and tooltips float outside of ours. */
function useDarkUnlessChosen() {
  const { theme } = usePreferences()
  useLayoutEffect(() => {
    if (theme !== 'system') return
    const { dataset } = document.documentElement
    dataset.theme = 'dark'
    return () => {
      const chosen = preferences().theme
      if (chosen === 'system') delete dataset.theme
      else dataset.theme = chosen
    }
  }, [theme])
}

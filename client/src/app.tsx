// Which address shows which screen. The feed is part of the first load; everything else arrives when it is opened.
import { Suspense } from 'react'
import { Route, Switch } from 'wouter'
import { lazyPart } from './lib/lazy-part.ts'
import { FeedRoute } from './shell/feed-route.tsx'
import { Frame } from './shell/frame.tsx'
import { Gate } from './shell/gate.tsx'
import { NotFound } from './shell/not-found.tsx'
import { TopicRoute } from './shell/topic-route.tsx'

const SignInPage = lazyPart(
  () => import('./account/sign-in-page.tsx'),
  (module) => module.SignInPage,
)
const SignUpPage = lazyPart(
  () => import('./account/sign-up-page.tsx'),
  (module) => module.SignUpPage,
)
const BrowsePage = lazyPart(
  () => import('./topics/browse-page.tsx'),
  (module) => module.BrowsePage,
)
const ActivityPage = lazyPart(
  () => import('./feed/activity-page.tsx'),
  (module) => module.ActivityPage,
)
const ManagePage = lazyPart(
  () => import('./topics/manage-page.tsx'),
  (module) => module.ManagePage,
)
const DevelopersPage = lazyPart(
  () => import('./developers/developers-page.tsx'),
  (module) => module.DevelopersPage,
)
const SearchPage = lazyPart(
  () => import('./search/search-page.tsx'),
  (module) => module.SearchPage,
)
const SettingsPage = lazyPart(
  () => import('./settings/settings-page.tsx'),
  (module) => module.SettingsPage,
)

const OpsPage = lazyPart(
  () => import('./ops/ops-page.tsx'),
  (module) => module.OpsPage,
)

export function App() {
  return (
    <Suspense>
      <Switch>
        <Route path="/sign-in">
          <SignInPage />
        </Route>
        <Route path="/sign-up">
          <SignUpPage />
        </Route>
        <Route>
          <Gate>
            <Switch>
              <Route path="/ops/*?">
                <OpsPage />
              </Route>
              <Route>
                <Frame>
                  <Page />
                </Frame>
              </Route>
            </Switch>
          </Gate>
        </Route>
      </Switch>
    </Suspense>
  )
}

/** What stands in the frame. */
function Page() {
  return (
    <Switch>
      <Route path="/">
        <FeedRoute />
      </Route>
      <Route path="/t/:kind/:name">
        <TopicRoute />
      </Route>
      <Route path="/a/:id">
        <ActivityPage />
      </Route>
      <Route path="/t/:kind/:name/settings">
        <ManagePage />
      </Route>
      <Route path="/topics">
        <BrowsePage />
      </Route>
      <Route path="/search">
        <SearchPage />
      </Route>
      <Route path="/developers">
        <DevelopersPage />
      </Route>
      <Route path="/settings">
        <SettingsPage />
      </Route>
      <Route>
        <NotFound />
      </Route>
    </Switch>
  )
}

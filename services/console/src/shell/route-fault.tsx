import { useRouteError } from 'react-router';
import { ApiProblem } from '../api/api-problem.ts';
import { asProblem } from '../api/client.ts';
import { ErrorState } from '../components/error-state.tsx';
import { Page } from '../components/page.tsx';

const UPDATED = new ApiProblem({
  status: 0,
  code: 'updated',
  detail: 'This page couldn’t be fetched. The console may have been updated, or the connection is away.',
});

/** Shown when a page throws, or when its script can't be fetched: after a release, reloading helps. */
export function RouteFault() {
  const error = useRouteError();
  const problem = asProblem(error);
  // Browsers have only words for it, each its own; all of them name the module.
  const isGone = /module/iu.test(problem.message) && error instanceof TypeError;
  return (
    <Page title="Something went wrong">
      <ErrorState
        error={isGone ? UPDATED : problem}
        retryLabel="Load again"
        onRetry={() => location.reload()}
      />
    </Page>
  );
}

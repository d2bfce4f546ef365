import { Button, Center, Loader } from '@mantine/core';
import { Link, useRouteError } from 'react-router';
import { ApiProblem } from '../api/api-problem.ts';
import { asProblem } from '../api/client.ts';
import { Page } from '../components/page.tsx';
import { EmptyState, ErrorState } from '../components/states.tsx';

const UPDATED = new ApiProblem({
  status: 0,
  code: 'updated',
  detail: 'This page could not be loaded. The console may have been updated, or the connection was lost.',
});

/** Shown when a page throws, or when its script cannot be loaded. A reload fixes the latter after a release. */
export function RouteError() {
  const error = useRouteError();
  const problem = asProblem(error);
  // Browsers report this error only by a message. The messages of all browsers contain `module`.
  const isGone = /module/iu.test(problem.message) && error instanceof TypeError;
  return (
    <Page title="Something went wrong">
      <ErrorState error={isGone ? UPDATED : problem} retryLabel="Reload" onRetry={() => location.reload()} />
    </Page>
  );
}

export function RouteLoading() {
  return (
    <Center mih="50vh">
      <Loader size="sm" aria-label="Loading" />
    </Center>
  );
}

export function NotFoundPage() {
  return (
    <Page title="Not found">
      <EmptyState
        title="Page not found"
        action={
          <Button component={Link} to="/" variant="default">
            Go to the overview
          </Button>
        }
      >
        The address may be mistyped, or the item was deleted.
      </EmptyState>
    </Page>
  );
}

import { Button } from '@mantine/core';
import { Link } from 'react-router';
import { EmptyState } from '../components/empty-state.tsx';
import { Page } from '../components/page.tsx';

export function NotFoundPage() {
  return (
    <Page title="Not found">
      <EmptyState
        title="There is nothing here"
        action={
          <Button component={Link} to="/" variant="default">
            To the overview
          </Button>
        }
      >
        The address may be mistyped, or what it led to was deleted.
      </EmptyState>
    </Page>
  );
}

import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { RotateCwIcon, TriangleAlertIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Issue } from '../api/api-problem.ts';
import { asProblem } from '../api/client.ts';

/** An error with the service's message and a retry button. */
export function ErrorState(props: { error: unknown; onRetry?: () => void; retryLabel?: string }) {
  const problem = asProblem(props.error);
  return (
    <Alert color="red" icon={<TriangleAlertIcon />} title={titleOf(problem.status)} role="alert">
      <Group justify="space-between" gap="sm">
        <Text fz="sm">{problem.message}</Text>
        {props.onRetry && (
          <Button
            size="xs"
            variant="default"
            leftSection={<RotateCwIcon size={15} />}
            onClick={props.onRetry}
          >
            {props.retryLabel ?? 'Try again'}
          </Button>
        )}
      </Group>
    </Alert>
  );
}

/** The service's message about a failed request, next to the button that sent it. Nothing without an error. */
export function ProblemText({ error }: { error: unknown }) {
  return error === null ? null : (
    <Text c="var(--mantine-color-error)" fz="sm" role="alert">
      {asProblem(error).message}
    </Text>
  );
}

/** Issues of a form that none of its fields shows; nothing if there are none. */
export function OtherIssues({ issues }: { issues: readonly Issue[] }) {
  return issues.length === 0 ? null : (
    <Alert color="red" role="alert">
      {issues.map(({ path, message }) => (
        <div key={`${path} ${message}`}>
          {path}: {message}
        </div>
      ))}
    </Alert>
  );
}

function titleOf(status: number): string {
  if (status === 404) return 'Not found';
  if (status === 403) return 'Not allowed';
  if (status === 409) return 'Not possible now';
  if (status === 429) return 'Too many requests';
  return 'The request failed';
}

/** A message for an empty list, with the next step. */
export function EmptyState(props: { title: string; children?: ReactNode; action?: ReactNode }) {
  return (
    <Stack align="center" gap="xs" py="xl" px="md" ta="center">
      <Text fw={600}>{props.title}</Text>
      {props.children !== undefined && (
        <Text c="dimmed" fz="sm" maw="46ch">
          {props.children}
        </Text>
      )}
      {props.action !== undefined && (
        <Group gap="xs" justify="center" mt="xs">
          {props.action}
        </Group>
      )}
    </Stack>
  );
}

import { Switch } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { dataOf, api, type Schemas } from '../../../api/client.ts';
import { Changes } from '../../../components/changes.tsx';
import { ErrorState } from '../../../components/states.tsx';

/** Whether only tested versions of the agent can be published. */
export function PublishRule({ agent: { agentId, testsRequired } }: { agent: Schemas['Agent'] }) {
  const queries = useQueryClient();
  const change = useMutation({
    mutationFn: (required: boolean) =>
      dataOf(
        api.PATCH('/api/agents/{agent_id}', {
          params: { path: { agent_id: agentId } },
          body: { testsRequired: required },
        }),
      ),
    onSuccess: (saved) => queries.setQueryData(['agent', agentId], saved),
  });
  return (
    <>
      <Changes>
        <Switch
          label="Require passing tests before publishing"
          description="New calls use a version only after a test run with all stored scenarios in which each passed."
          checked={change.isPending ? change.variables : testsRequired}
          disabled={change.isPending}
          onChange={(event) => change.mutate(event.currentTarget.checked)}
        />
      </Changes>
      {change.error && <ErrorState error={change.error} />}
    </>
  );
}

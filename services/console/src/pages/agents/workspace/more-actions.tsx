import { ActionIcon, Menu } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { EllipsisIcon, MicIcon, PhoneIcon, TrashIcon } from 'lucide-react';
import { useState } from 'react';
import { Link, useNavigate } from 'react-router';
import { dataOf, api, type Schemas } from '../../../api/client.ts';
import { useCanChange } from '../../../components/changes.tsx';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';

/** Links to the agent's calls and to the talk page, and a button that deletes the agent. */
export function MoreActions({ agent, name }: { agent: Schemas['Agent']; name: string }) {
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [isDeleting, setIsDeleting] = useState(false);
  const canChange = useCanChange();
  const path = { agent_id: agent.agentId };
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="default" size={36} aria-label="More actions">
            <EllipsisIcon />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item component={Link} to={`/talk/${agent.agentId}`} leftSection={<MicIcon size={16} />}>
            Open in Talk
          </Menu.Item>
          <Menu.Item
            component={Link}
            to={`/calls?agentId=${agent.agentId}`}
            leftSection={<PhoneIcon size={16} />}
          >
            Calls of this agent
          </Menu.Item>
          {canChange && (
            <Menu.Item color="red" leftSection={<TrashIcon size={16} />} onClick={() => setIsDeleting(true)}>
              Delete…
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      <ConfirmDialog
        opened={isDeleting}
        onClose={() => setIsDeleting(false)}
        title={`Delete ${name}?`}
        confirmLabel="Delete agent"
        onConfirm={() => dataOf(api.DELETE('/api/agents/{agent_id}', { params: { path } }))}
        onDone={() => {
          queries.removeQueries({ queryKey: ['agent', agent.agentId] });
          void queries.invalidateQueries({ queryKey: ['agents'] });
          void navigate('/agents');
        }}
      >
        New calls of this agent can no longer be created. Existing calls are retained, and live ones continue.
      </ConfirmDialog>
    </>
  );
}

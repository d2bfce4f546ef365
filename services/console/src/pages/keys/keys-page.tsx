import { Button, Group, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { PlusIcon, UserPlusIcon } from 'lucide-react';
import { dataOf, api, type Schemas } from '../../api/client.ts';
import { SLOW_REFRESH_MS } from '../../api/queries.ts';
import { useList } from '../../api/use-list.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { DeleteButton } from '../../components/delete-button.tsx';
import { FieldsFormDrawer } from '../../components/fields-form.tsx';
import { KeyName } from '../../components/key-name.tsx';
import { EmptyState } from '../../components/states.tsx';
import { Page } from '../../components/page.tsx';
import { ResourceTable, type Column } from '../../components/resource-table.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { RelativeTime, useNow } from '../../components/time.tsx';
import { useSession } from '../../session/session.ts';
import { InviteForm, Invitations } from './invitations.tsx';
import { NewKeyDialog } from './new-key-dialog.tsx';
import { ProviderKeys } from './provider-keys.tsx';
import { NAME_FIELD, ROLE_FIELD, roleLabel, useIsAdministrator } from './roles.tsx';

type ApiKey = Schemas['APIKey'];

const KEY = ['keys'];

export function Component() {
  const { data: session } = useSession();
  const queries = useQueryClient();
  const [isCreating, setIsCreating] = useState(false);
  const [isInviting, setIsInviting] = useState(false);
  const [changing, setChanging] = useState<ApiKey | null>(null);
  const isAdministrator = useIsAdministrator();
  const [revoking, setRevoking] = useState<ApiKey | null>(null);
  const own = session?.key.prefix;
  const list = useList(
    KEY,
    (cursor) => dataOf(api.GET('/api/api_keys', { params: { query: { ...cursor, pageSize: 50 } } })),
    { refreshMs: SLOW_REFRESH_MS },
  );
  const changed = (): void => void queries.invalidateQueries({ queryKey: KEY });
  const revoke = (prefix: string) =>
    dataOf(
      api.PATCH('/api/api_keys/{api_key_prefix}', {
        params: { path: { api_key_prefix: prefix } },
        body: { revoked: true },
      }),
    );
  const create = isAdministrator && (
    <Group gap="xs">
      <Button variant="default" leftSection={<UserPlusIcon size={16} />} onClick={() => setIsInviting(true)}>
        Invite
      </Button>
      <Button leftSection={<PlusIcon size={16} />} onClick={() => setIsCreating(true)}>
        New key
      </Button>
    </Group>
  );
  return (
    <Page
      title="Team and keys"
      description="People sign in with a key of their own, and programs authenticate their requests with one. Use keys of programs on servers only."
      actions={create}
    >
      <ResourceTable
        caption="API keys"
        list={list}
        columns={columnsOf({
          own,
          isAdministrator,
          onChange: setChanging,
          onRevoke: setRevoking,
          onDeleted: changed,
        })}
        keyOf={({ prefix }) => prefix}
        empty={
          <EmptyState title="No keys yet" action={create}>
            A program needs one to create calls.
          </EmptyState>
        }
      />
      <Stack mt="lg" gap="lg">
        <Invitations />
        <ProviderKeys />
      </Stack>
      <InviteForm opened={isInviting} onClose={() => setIsInviting(false)} />
      <FieldsFormDrawer
        opened={changing !== null}
        onClose={() => setChanging(null)}
        title="Name and role"
        fields={changing?.prefix === own ? [NAME_FIELD] : [NAME_FIELD, ROLE_FIELD]}
        initial={changing && { name: changing.name, role: changing.role }}
        save={(values) => change(changing?.prefix ?? '', values)}
        onSaved={() => {
          setChanging(null);
          changed();
        }}
      />
      <NewKeyDialog opened={isCreating} onClose={() => setIsCreating(false)} onCreated={changed} />
      <ConfirmDialog
        opened={revoking !== null}
        onClose={() => setRevoking(null)}
        title={`Revoke ${revoking?.name === '' ? 'this key' : (revoking?.name ?? '')}?`}
        confirmLabel="Revoke key"
        onConfirm={() => revoke(revoking?.prefix ?? '')}
        onDone={changed}
      >
        Programs that use <span className="mono">{revoking?.prefix}…</span> will be rejected, and console
        sessions that started with it end. This cannot be undone.
        {revoking?.prefix === own && ' You are signed in with this key.'}
      </ConfirmDialog>
    </Page>
  );
}

function columnsOf(props: {
  own: string | undefined;
  isAdministrator: boolean;
  onChange: (key: ApiKey) => void;
  onRevoke: (key: ApiKey) => void;
  onDeleted: () => void;
}): readonly Column<ApiKey>[] {
  const { own, isAdministrator, onChange, onRevoke, onDeleted } = props;
  const columns: readonly Column<ApiKey>[] = [
    {
      key: 'name',
      header: 'Name and role',
      cell: ({ name, prefix, role }) => (
        <>
          <Text component="span" display="block" inherit fw={550}>
            {name || 'Unnamed key'}
          </Text>
          <Text component="span" display="block" fz="sm" c="dimmed">
            {roleLabel(role)}
          </Text>
          <Text component="span" display="block" fz="sm" c="dimmed" className="mono">
            {prefix}…
          </Text>
        </>
      ),
    },
    {
      key: 'used',
      header: 'Last used',
      wideOnly: true,
      cell: ({ lastUsed }) => (lastUsed === null ? 'Never' : <RelativeTime at={lastUsed} />),
    },
    { key: 'state', header: 'State', cell: (key) => <KeyState apiKey={key} isOwn={key.prefix === own} /> },
    {
      key: 'created',
      header: 'Created',
      wideOnly: true,
      cell: ({ created, creator }) => (
        <>
          <RelativeTime at={created} />
          {creator !== null && (
            <Text component="span" display="block" fz="sm" c="dimmed">
              by <KeyName prefix={creator} />
            </Text>
          )}
        </>
      ),
    },
    {
      key: 'expires',
      header: 'Expires',
      wideOnly: true,
      cell: ({ expiryDate }) => (expiryDate === null ? 'Never' : <RelativeTime at={expiryDate} />),
    },
    {
      key: 'actions',
      header: 'Actions',
      align: 'right',
      cell: (key) =>
        key.revoked ? (
          <DeleteButton
            what="key"
            size="compact-sm"
            label={`Delete ${key.prefix}`}
            title={`Delete ${key.name === '' ? 'this key' : key.name}?`}
            onConfirm={() => deleteKey(key.prefix)}
            onDone={onDeleted}
          >
            The revoked key disappears from this list.
          </DeleteButton>
        ) : (
          <Group gap={4} justify="flex-end">
            <Button
              size="compact-sm"
              variant="subtle"
              aria-label={`Change ${key.name || key.prefix}`}
              onClick={() => onChange(key)}
            >
              Change…
            </Button>
            <Button
              size="compact-sm"
              variant="subtle"
              color="red"
              c="var(--mantine-color-error)"
              onClick={() => onRevoke(key)}
            >
              Revoke…
            </Button>
          </Group>
        ),
    },
  ];
  return isAdministrator ? columns : columns.filter(({ key }) => key !== 'actions');
}

function change(prefix: string, body: object): Promise<unknown> {
  const params = { path: { api_key_prefix: prefix } };
  return dataOf(api.PATCH('/api/api_keys/{api_key_prefix}', { params, body }));
}

function deleteKey(prefix: string): Promise<unknown> {
  return dataOf(
    api.DELETE('/api/api_keys/{api_key_prefix}', { params: { path: { api_key_prefix: prefix } } }),
  );
}

const CHECK_MS = 10_000;

function KeyState({ apiKey, isOwn }: { apiKey: ApiKey; isOwn: boolean }) {
  const nowMs = useNow(CHECK_MS);
  if (apiKey.revoked) return <StatusBadge tone="neutral">Revoked</StatusBadge>;
  if (apiKey.expiryDate !== null && Date.parse(apiKey.expiryDate) <= nowMs) {
    return <StatusBadge tone="neutral">Expired</StatusBadge>;
  }
  return <StatusBadge tone="good">{isOwn ? 'This session' : 'Active'}</StatusBadge>;
}

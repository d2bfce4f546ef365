import { Button, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { dataOf, api, asProblem, type Schemas } from '../../api/client.ts';
import { LIVE_REFRESH_MS } from '../../api/queries.ts';
import { Changes } from '../../components/changes.tsx';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { Section } from '../../components/layout.tsx';
import { ItemRow } from '../../components/list-cells.tsx';
import { FieldsFormDrawer, type FormField } from '../../components/fields-form.tsx';
import { ErrorState } from '../../components/states.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';

type Registration = Schemas['SipRegistration'];
type Trunk = Schemas['SipTrunk'];

const SHOWN = 100;
const QUERY = { params: { query: { pageSize: SHOWN } } };

const REGISTRATION_FIELDS: readonly FormField[] = [
  { name: 'username', label: 'User name', kind: 'text', required: true },
  { name: 'password', label: 'Password', kind: 'password', required: true },
  {
    name: 'proxy',
    label: 'Server',
    description: 'Host name, with a port if needed.',
    kind: 'text',
    required: true,
  },
  {
    name: 'authUser',
    label: 'User name for authentication',
    description: 'If it differs from the user name.',
    kind: 'text',
  },
  { name: 'outboundProxy', label: 'Outbound proxy', kind: 'text' },
];

const TRUNK_FIELDS: readonly FormField[] = [
  { name: 'name', label: 'Name', kind: 'text', required: true },
  {
    name: 'proxy',
    label: 'Server',
    description: 'Outgoing calls to numbers go to this server.',
    kind: 'text',
  },
  { name: 'outboundProxy', label: 'Outbound proxy', kind: 'text' },
  { name: 'username', label: 'User name', kind: 'text' },
  { name: 'password', label: 'Password', kind: 'password' },
  {
    name: 'from',
    label: 'Caller number of outgoing calls',
    description: 'Leave empty to use the first number.',
    kind: 'text',
  },
  {
    name: 'numbers',
    label: 'Numbers',
    description: 'Calls to other numbers are rejected. Leave empty to accept calls to all numbers.',
    kind: 'list',
  },
  {
    name: 'allowedCidrRanges',
    label: 'Allowed addresses',
    description: 'IPv4 and IPv6 ranges, such as 203.0.113.0/24.',
    kind: 'list',
  },
  { name: 'incomingUsername', label: 'User name for incoming calls', kind: 'text' },
  { name: 'incomingPassword', label: 'Password for incoming calls', kind: 'password' },
  {
    name: 'codecs',
    label: 'Codecs',
    description: 'Preferred codec first. Leave empty for all codecs in the default order.',
    kind: 'list',
    options: ['opus', 'G722', 'PCMU', 'PCMA'],
  },
  { name: 'maxCalls', label: 'Maximum live calls', kind: 'number' },
];
/** New trunks are enabled. */
const ENABLED: FormField = { name: 'enabled', label: 'Accept and place calls', kind: 'switch' };

export function SipRegistrations() {
  return (
    <SipSection<Registration>
      title="SIP registrations"
      what="registration"
      description="The service registers at these servers, like a phone. Agents take the calls to the registered user."
      fields={REGISTRATION_FIELDS}
      list={() => dataOf(api.GET('/api/sip/registrations', QUERY))}
      create={(body) =>
        dataOf(api.POST('/api/sip/registrations', { body: body as Schemas['SipRegistrationRequest'] }))
      }
      update={({ registrationId }, body) =>
        dataOf(
          api.PATCH('/api/sip/registrations/{registration_id}', {
            params: { path: { registration_id: registrationId } },
            body,
          }),
        )
      }
      remove={({ registrationId }) =>
        dataOf(
          api.DELETE('/api/sip/registrations/{registration_id}', {
            params: { path: { registration_id: registrationId } },
          }),
        )
      }
      keyOf={({ registrationId }) => registrationId}
      nameOf={({ username, proxy }) => `${username}@${proxy}`}
      detailOf={({ lastError }) => lastError}
      badgeOf={({ successful }) => {
        if (successful === null) return <StatusBadge tone="neutral">Registering</StatusBadge>;
        return successful ? (
          <StatusBadge tone="good">Registered</StatusBadge>
        ) : (
          <StatusBadge tone="bad">Failed</StatusBadge>
        );
      }}
    />
  );
}

export function SipTrunks() {
  return (
    <SipSection<Trunk>
      title="SIP trunks"
      what="trunk"
      description="Providers and PBXs for calls in both directions, without a registration."
      fields={TRUNK_FIELDS}
      list={() => dataOf(api.GET('/api/sip/trunks', QUERY))}
      create={(body) => dataOf(api.POST('/api/sip/trunks', { body: body as Schemas['SipTrunkRequest'] }))}
      changedFields={[...TRUNK_FIELDS, ENABLED]}
      update={({ trunkId }, body) =>
        dataOf(api.PATCH('/api/sip/trunks/{trunk_id}', { params: { path: { trunk_id: trunkId } }, body }))
      }
      remove={({ trunkId }) =>
        dataOf(api.DELETE('/api/sip/trunks/{trunk_id}', { params: { path: { trunk_id: trunkId } } }))
      }
      keyOf={({ trunkId }) => trunkId}
      nameOf={({ name }) => name}
      detailOf={({ proxy, numbers }) => [proxy, ...(numbers ?? []).slice(0, 3)].filter(Boolean).join(' · ')}
      badgeOf={({ enabled }) => (
        <StatusBadge tone={enabled === false ? 'neutral' : 'good'}>
          {enabled === false ? 'Disabled' : 'Enabled'}
        </StatusBadge>
      )}
    />
  );
}

interface SipSectionProps<Item> {
  title: string;
  what: string;
  description: string;
  fields: readonly FormField[];
  /** Fields of an item to change. Default: `fields`. */
  changedFields?: readonly FormField[];
  list: () => Promise<{ results: Item[] }>;
  create: (body: Readonly<Record<string, unknown>>) => Promise<unknown>;
  update: (item: Item, body: Readonly<Record<string, unknown>>) => Promise<unknown>;
  remove: (item: Item) => Promise<unknown>;
  keyOf: (item: Item) => string;
  nameOf: (item: Item) => string;
  detailOf: (item: Item) => string | null;
  badgeOf: (item: Item) => ReactNode;
}

function SipSection<Item extends object>(props: SipSectionProps<Item>) {
  const { title, what, keyOf, nameOf } = props;
  const [isAdding, setAdding] = useState(false);
  const [changed, setChanged] = useState<Item | null>(null);
  const [removed, setRemoved] = useState<Item | null>(null);
  const queries = useQueryClient();
  const queryKey = ['sip', what];
  const items = useQuery({ queryKey, queryFn: props.list, refetchInterval: LIVE_REFRESH_MS });
  const refresh = (): void => void queries.invalidateQueries({ queryKey });
  // Accounts without the feature have no SIP.
  if (items.error && asProblem(items.error).status === 403) return null;
  return (
    <Section
      title={title}
      description={props.description}
      actions={
        <Changes>
          <Button size="xs" onClick={() => setAdding(true)}>
            Add {what}
          </Button>
        </Changes>
      }
    >
      {items.data ? (
        <Stack gap="sm">
          {items.data.results.length === 0 && (
            <Text c="dimmed" fz="sm">
              No {what} yet
            </Text>
          )}
          {items.data.results.map((item) => (
            <ItemRow
              key={keyOf(item)}
              name={<span className="mono">{nameOf(item)}</span>}
              detail={props.detailOf(item)}
            >
              {props.badgeOf(item)}
              <Changes>
                <Button
                  size="xs"
                  variant="default"
                  aria-label={`Edit ${nameOf(item)}`}
                  onClick={() => setChanged(item)}
                >
                  Edit
                </Button>
              </Changes>
              <Changes>
                <Button
                  size="xs"
                  variant="default"
                  c="var(--mantine-color-error)"
                  aria-label={`Remove ${nameOf(item)}`}
                  onClick={() => setRemoved(item)}
                >
                  Remove
                </Button>
              </Changes>
            </ItemRow>
          ))}
        </Stack>
      ) : items.error ? (
        <ErrorState error={items.error} onRetry={() => void items.refetch()} />
      ) : (
        <Skeleton height={60} radius="lg" />
      )}
      <FieldsFormDrawer
        opened={isAdding}
        onClose={() => setAdding(false)}
        title={`Add ${what}`}
        fields={props.fields}
        save={props.create}
        onSaved={refresh}
      />
      <FieldsFormDrawer
        opened={changed !== null}
        onClose={() => setChanged(null)}
        title={`Edit the ${what}`}
        fields={props.changedFields ?? props.fields}
        initial={changed === null ? {} : { ...changed }}
        save={(body) => (changed === null ? Promise.resolve() : props.update(changed, body))}
        onSaved={refresh}
      />
      <ConfirmDialog
        opened={removed !== null}
        onClose={() => setRemoved(null)}
        title={`Remove the ${what}?`}
        confirmLabel={`Remove ${what}`}
        onConfirm={() => (removed === null ? Promise.resolve() : props.remove(removed))}
        onDone={refresh}
      >
        New calls through it will be rejected. Live calls continue.
      </ConfirmDialog>
    </Section>
  );
}

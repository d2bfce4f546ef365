import { Button, Group } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { PlusIcon } from 'lucide-react';
import { dataOf, api, type Schemas } from '../../api/client.ts';
import { SLOW_REFRESH_MS } from '../../api/queries.ts';
import { useList } from '../../api/use-list.ts';
import { Changes } from '../../components/changes.tsx';
import { DeleteButton } from '../../components/delete-button.tsx';
import { EditButton } from '../../components/edit-button.tsx';
import { FieldsFormDrawer, type FormField } from '../../components/fields-form.tsx';
import { createdColumn } from '../../components/list-cells.tsx';
import { Page } from '../../components/page.tsx';
import { ResourceTable, type Column } from '../../components/resource-table.tsx';
import { EmptyState } from '../../components/states.tsx';
import { RulesInput } from './rules-input.tsx';
import { ruleText, type Rule } from './rule-text.ts';

type Throttle = Schemas['CallThrottle'];

const KEY = ['throttles'];
const FIELDS: readonly FormField[] = [
  {
    name: 'name',
    label: 'Name',
    description: 'Calls and batches refer to the throttle by this name.',
    kind: 'text',
    placeholder: 'evening',
    required: true,
  },
  { name: 'rules', label: 'Rules', kind: RulesInput, required: true },
];
const FIRST_RULE: Rule = { maxCalls: 10, windowSeconds: 60 };

export function Component() {
  const [isAdding, setAdding] = useState(false);
  const [changed, setChanged] = useState<Throttle | null>(null);
  const queries = useQueryClient();
  const list = useList<Throttle>(
    KEY,
    (cursor) => dataOf(api.GET('/api/call_throttles', { params: { query: { ...cursor, pageSize: 50 } } })),
    { refreshMs: SLOW_REFRESH_MS },
  );
  const refresh = (): void => void queries.invalidateQueries({ queryKey: KEY });
  const add = (
    <Changes>
      {' '}
      <Button leftSection={<PlusIcon size={16} />} onClick={() => setAdding(true)}>
        New throttle
      </Button>
    </Changes>
  );
  return (
    <Page
      title="Throttles"
      description="Limits on how many calls are created per period. A throttle applies to calls and batches that use its name."
      actions={add}
    >
      <ResourceTable
        caption="Throttles"
        list={list}
        columns={columnsOf(setChanged, refresh)}
        keyOf={({ throttleId }) => throttleId}
        empty={
          <EmptyState title="No throttles yet" action={add}>
            A call that exceeds a rule is rejected; those of a batch wait.
          </EmptyState>
        }
      />
      <FieldsFormDrawer
        opened={isAdding}
        onClose={() => setAdding(false)}
        title="New throttle"
        submitLabel="Create throttle"
        fields={FIELDS}
        defaults={{ rules: [FIRST_RULE] }}
        save={(body) =>
          dataOf(api.POST('/api/call_throttles', { body: body as Schemas['CallThrottleRequest'] }))
        }
        onSaved={refresh}
      />
      <FieldsFormDrawer
        opened={changed !== null}
        onClose={() => setChanged(null)}
        title="Edit throttle"
        fields={FIELDS}
        initial={changed === null ? {} : { ...changed }}
        save={(body) =>
          dataOf(
            api.PATCH('/api/call_throttles/{throttle_id}', {
              params: { path: { throttle_id: changed?.throttleId ?? '' } },
              body,
            }),
          )
        }
        onSaved={refresh}
      />
    </Page>
  );
}

function columnsOf(onEdit: (throttle: Throttle) => void, onDeleted: () => void): readonly Column<Throttle>[] {
  return [
    { key: 'name', header: 'Throttle', cell: ({ name }) => <strong>{name}</strong> },
    { key: 'rules', header: 'Rules', cell: ({ rules }) => rules.map(ruleText).join('; ') },
    createdColumn(),
    {
      key: 'actions',
      header: 'Actions',
      align: 'right',
      cell: (throttle) => (
        <Group gap="xs" justify="flex-end">
          <EditButton size="xs" label={`Edit ${throttle.name}`} onClick={() => onEdit(throttle)} />
          <DeleteButton
            what="throttle"
            size="xs"
            label={`Delete ${throttle.name}`}
            title={`Delete ${throttle.name}?`}
            onConfirm={() =>
              dataOf(
                api.DELETE('/api/call_throttles/{throttle_id}', {
                  params: { path: { throttle_id: throttle.throttleId } },
                }),
              )
            }
            onDone={onDeleted}
          >
            Requests that still use this throttle fail.
          </DeleteButton>
        </Group>
      ),
    },
  ];
}

import { Alert, Code, Group, Modal, Skeleton, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { dataOf, api, type Schemas } from '../../api/client.ts';
import { SLOW_REFRESH_MS } from '../../api/queries.ts';
import { useList } from '../../api/use-list.ts';
import { CopyTextButton } from '../../components/copyable.tsx';
import { DeleteButton } from '../../components/delete-button.tsx';
import { FieldsFormDrawer } from '../../components/fields-form.tsx';
import { Section } from '../../components/layout.tsx';
import { ItemRow } from '../../components/list-cells.tsx';
import { ErrorState } from '../../components/states.tsx';
import { RelativeTime } from '../../components/time.tsx';
import { NAME_FIELD, ROLE_FIELD, roleLabel, useIsAdministrator } from './roles.tsx';

const KEY = ['invitations'];

/** Open invitations of the account. */
export function Invitations() {
  const queries = useQueryClient();
  const isAdministrator = useIsAdministrator();
  const list = useList(
    KEY,
    (cursor) => dataOf(api.GET('/api/invitations', { params: { query: { ...cursor, pageSize: 50 } } })),
    { refreshMs: SLOW_REFRESH_MS },
  );
  const changed = (): void => void queries.invalidateQueries({ queryKey: KEY });
  if (list.items?.length === 0) return null;
  return (
    <Section title="Invitations" description="Each link works once, until it expires.">
      {list.items === undefined && !list.error && <Skeleton height={48} />}
      {list.error !== null && <ErrorState error={list.error} onRetry={list.retry} />}
      <Stack gap="sm">
        {list.items?.map(({ invitationId, name, role, expires }) => (
          <ItemRow
            key={invitationId}
            name={name}
            detail={
              <>
                {roleLabel(role)} · expires <RelativeTime at={expires} />
              </>
            }
          >
            {isAdministrator && (
              <DeleteButton
                what="invitation"
                size="xs"
                label={`Delete the invitation of ${name}`}
                title={`Delete the invitation of ${name}?`}
                onConfirm={() => withdraw(invitationId)}
                onDone={changed}
              >
                Its link stops working.
              </DeleteButton>
            )}
          </ItemRow>
        ))}
      </Stack>
    </Section>
  );
}

function withdraw(invitationId: string): Promise<unknown> {
  const path = { invitation_id: invitationId };
  return dataOf(api.DELETE('/api/invitations/{invitation_id}', { params: { path } }));
}

/** Invites a person and shows the link. No other page shows it again. */
export function InviteForm({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const queries = useQueryClient();
  const [created, setCreated] = useState<Schemas['CreatedInvitation'] | null>(null);
  const save = async (values: object): Promise<void> =>
    setCreated(await dataOf(api.POST('/api/invitations', { body: values as Schemas['CreateInvitation'] })));
  return (
    <>
      <FieldsFormDrawer
        opened={opened}
        onClose={onClose}
        title="Invite a person"
        submitLabel="Create invitation"
        fields={[NAME_FIELD, ROLE_FIELD]}
        defaults={{ role: 'member' }}
        save={save}
        onSaved={() => {
          onClose();
          void queries.invalidateQueries({ queryKey: KEY });
        }}
      />
      <Modal
        opened={created !== null}
        onClose={() => setCreated(null)}
        closeButtonProps={{ 'aria-label': 'Close' }}
        title={<Text fw={600}>Invitation of {created?.name}</Text>}
        size="lg"
      >
        <Stack>
          <Alert color="yellow" title="Send this link to the person">
            It is shown only once, works once, and signs the person in with an API key.
          </Alert>
          <Code block aria-label="The link" style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }}>
            {created?.url}
          </Code>
          <Group justify="flex-end">
            <CopyTextButton text={created?.url ?? ''} label="Copy the link" />
          </Group>
        </Stack>
      </Modal>
    </>
  );
}

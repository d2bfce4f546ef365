import { Button, Group, Modal, Select, Stack, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState, type SyntheticEvent } from 'react';
import { dataOf, api, type Schemas } from '../../api/client.ts';
import { ErrorState } from '../../components/states.tsx';
import { useFormIssues } from '../../components/form-issues.ts';
import { RoleInput } from './roles.tsx';
import { NewKey } from '../../components/new-key.tsx';

type Role = Schemas['APIKey']['role'];

const DAY_MS = 86_400_000;
const LIFETIMES = [
  { value: '', label: 'Never' },
  { value: '7', label: 'In 7 days' },
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In a year' },
];

/** Creates a key and shows it once. The dialog with the key cannot be closed accidentally. */
export function NewKeyDialog(props: { opened: boolean; onClose: () => void; onCreated: () => void }) {
  const [name, setName] = useState('');
  const [days, setDays] = useState('');
  const [role, setRole] = useState<Role>('administrator');
  const create = useMutation({
    // The key is removed from memory when the dialog closes.
    gcTime: 0,
    mutationFn: () =>
      dataOf(
        api.POST('/api/api_keys', {
          body: {
            name,
            role,
            ...(days !== '' && { expiryDate: new Date(Date.now() + Number(days) * DAY_MS).toISOString() }),
          },
        }),
      ),
    onSuccess: props.onCreated,
  });
  const issues = useFormIssues(create.error);
  const close = (): void => {
    props.onClose();
    create.reset();
    setName('');
    setDays('');
  };
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    create.mutate();
  };
  const secret = create.data?.secret;
  return (
    <Modal
      opened={props.opened}
      onClose={close}
      closeOnClickOutside={secret === undefined}
      closeOnEscape={secret === undefined}
      title={<Text fw={600}>{secret === undefined ? 'New API key' : 'Your new key'}</Text>}
      size="lg"
    >
      {secret === undefined ? (
        <form onSubmit={submit} noValidate>
          <Stack>
            <TextInput
              label="Name"
              placeholder="Booking server"
              description="Where the key is used."
              value={name}
              maxLength={50}
              onChange={(event) => setName(event.currentTarget.value)}
              error={issues.at('name')}
              data-autofocus
            />
            <RoleInput
              label="Role"
              value={role}
              onChange={(chosen) => setRole(chosen as Role)}
              error={issues.at('role')}
            />
            <Select
              label="Expires"
              data={LIFETIMES}
              value={days}
              onChange={(chosen) => setDays(chosen ?? '')}
              allowDeselect={false}
              error={issues.at('expiryDate')}
            />
            {create.error && issues.all.length === 0 && <ErrorState error={create.error} />}
            <Group justify="flex-end" gap="xs">
              <Button variant="default" onClick={close}>
                Cancel
              </Button>
              <Button type="submit" loading={create.isPending} disabled={name.trim() === ''}>
                Create key
              </Button>
            </Group>
          </Stack>
        </form>
      ) : (
        <NewKey secret={secret} doneLabel="Done" onDone={close} />
      )}
    </Modal>
  );
}

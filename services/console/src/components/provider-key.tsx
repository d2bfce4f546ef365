import { ttsVendors } from '@calls/api-client/vendors';
import { Button, Group, PasswordInput, Skeleton, Stack, Textarea } from '@mantine/core';
import { useMutation, useQuery, useQueryClient, type UseQueryResult } from '@tanstack/react-query';
import { useState, type KeyboardEvent } from 'react';
import { dataOf, api, type Schemas } from '../api/client.ts';
import { Changes } from './changes.tsx';
import { DeleteButton } from './delete-button.tsx';
import { useFormIssues } from './form-issues.ts';
import { ItemRow } from './list-cells.tsx';
import { ErrorState } from './states.tsx';

type Keys = Schemas['AccountTtsKeys'];
/** A text-to-speech provider that needs a key of the account. */
export type KeyVendor = Extract<(typeof ttsVendors)[number], { key: keyof Keys }>;

const QUERY_KEY = ['provider keys'];

export const keyVendors = ttsVendors.filter((vendor): vendor is KeyVendor => vendor.credential !== null);

/** The account's keys at text-to-speech providers, without their secret part. */
export function useProviderKeys(): UseQueryResult<Keys> {
  return useQuery({
    queryKey: QUERY_KEY,
    queryFn: () => dataOf(api.GET('/api/accounts/me/tts_api_keys')),
  });
}

/** The account's key at a provider, to add, replace or delete. May be part of a form. */
export function ProviderKey({ vendor, label = vendor.name }: { vendor: KeyVendor; label?: string }) {
  const keys = useProviderKeys();
  const [isEditing, setEditing] = useState(false);
  const queries = useQueryClient();
  const store = useMutation({
    mutationFn: (value: string | null) =>
      dataOf(api.PATCH('/api/accounts/me/tts_api_keys', { body: { [vendor.key]: value } })),
    onSuccess: (saved) => {
      queries.setQueryData(QUERY_KEY, saved);
      setEditing(false);
    },
  });
  if (keys.error) return <ErrorState error={keys.error} onRetry={() => void keys.refetch()} />;
  if (!keys.data) return <Skeleton height={40} />;
  const { name } = vendor;
  const prefix = keys.data[vendor.key]?.prefix;
  const open = (): void => {
    store.reset();
    setEditing(true);
  };
  return (
    <Stack gap="xs">
      <ItemRow
        name={label}
        detail={prefix === undefined ? 'No key' : <span className="mono">{prefix}…</span>}
      >
        <Changes>
          <Button
            size="xs"
            variant="default"
            aria-label={`${prefix === undefined ? 'Add key' : 'Replace key'} for ${name}`}
            aria-expanded={isEditing}
            onClick={open}
          >
            {prefix === undefined ? 'Add key' : 'Replace'}
          </Button>
        </Changes>
        {prefix !== undefined && (
          <DeleteButton
            what="key"
            size="xs"
            label={`Delete key for ${name}`}
            title={`Delete the key for ${name}?`}
            onConfirm={() => store.mutateAsync(null)}
            onDone={() => undefined}
          >
            New calls with voices of {name} fail until there is a key again.
          </DeleteButton>
        )}
      </ItemRow>
      {isEditing && (
        <KeyInput
          vendor={vendor}
          error={store.error}
          isSending={store.isPending}
          onStore={(value) => store.mutate(value)}
          onCancel={() => setEditing(false)}
        />
      )}
    </Stack>
  );
}

function KeyInput(props: {
  vendor: KeyVendor;
  error: Error | null;
  isSending: boolean;
  onStore: (value: string) => void;
  onCancel: () => void;
}) {
  const { vendor, error, isSending, onStore, onCancel } = props;
  const [value, setValue] = useState('');
  const issues = useFormIssues(error);
  const common = {
    value,
    required: true,
    autoFocus: true,
    error: issues.at(vendor.key),
  };
  return (
    <Stack gap="xs">
      {vendor.credential === 'service_account' ? (
        <Textarea
          {...common}
          label={`Service account key for ${vendor.name}`}
          description="The JSON of the key, as text."
          autosize
          minRows={4}
          maxRows={12}
          onChange={(event) => setValue(event.currentTarget.value)}
        />
      ) : (
        <PasswordInput
          {...common}
          label={`API key for ${vendor.name}`}
          autoComplete="off"
          onChange={(event) => setValue(event.currentTarget.value)}
          onKeyDown={(event: KeyboardEvent) => {
            if (event.key !== 'Enter') return;
            // Prevents the submission of the form around it.
            event.preventDefault();
            onStore(value.trim());
          }}
        />
      )}
      {error && issues.at(vendor.key) === undefined && <ErrorState error={error} />}
      <Group gap="xs" justify="flex-end">
        <Button size="xs" variant="default" onClick={onCancel}>
          Cancel
        </Button>
        <Button size="xs" loading={isSending} onClick={() => onStore(value.trim())}>
          Store key
        </Button>
      </Group>
    </Stack>
  );
}

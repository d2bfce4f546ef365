import { ttsVendors } from '@calls/api-client/vendors';
import { Button, Skeleton, Stack } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { answerOf, api, type Schemas } from '../../api/client.ts';
import { Changes } from '../../components/changes.tsx';
import { DeleteButton } from '../../components/delete-button.tsx';
import { FieldsFormDrawer, type FormField } from '../../components/fields-form.tsx';
import { ItemRow } from '../../components/list-cells.tsx';
import { Section } from '../../components/layout.tsx';
import { ErrorState } from '../../components/states.tsx';

type Keys = Schemas['AccountTtsKeys'];
type Vendor = Extract<(typeof ttsVendors)[number], { key: keyof Keys }>;

const QUERY_KEY = ['provider keys'];
const VENDORS = ttsVendors.filter((vendor): vendor is Vendor => vendor.credential !== null);

/** The keys of the account at text-to-speech providers. */
export function ProviderKeys() {
  const [vendor, setVendor] = useState<Vendor | null>(null);
  const queries = useQueryClient();
  const keys = useQuery({
    queryKey: QUERY_KEY,
    queryFn: () => answerOf(api.GET('/api/accounts/me/tts_api_keys')),
  });
  const set = async (body: Schemas['PatchedSetTtsApiKeysRequest']): Promise<void> => {
    const saved = await answerOf(api.PATCH('/api/accounts/me/tts_api_keys', { body }));
    queries.setQueryData(QUERY_KEY, saved);
  };
  return (
    <Section
      title="Voice provider keys"
      description="Your voices of a provider use the key of your account there, and the provider bills you."
    >
      {keys.data ? (
        <Stack gap="sm">
          {VENDORS.map((each) => (
            <ProviderKey
              key={each.key}
              name={each.name}
              prefix={keys.data[each.key]?.prefix}
              onSet={() => setVendor(each)}
              onRemove={() => set({ [each.key]: null })}
            />
          ))}
        </Stack>
      ) : keys.error ? (
        <ErrorState error={keys.error} onRetry={() => void keys.refetch()} />
      ) : (
        <Skeleton height={200} radius="lg" />
      )}
      <FieldsFormDrawer
        opened={vendor !== null}
        onClose={() => setVendor(null)}
        title={`Key for ${vendor?.name ?? ''}`}
        submitLabel="Store key"
        fields={vendor ? [fieldOf(vendor)] : []}
        // An empty key is rejected at its field.
        save={(body) => set({ ...(vendor && { [vendor.key]: '' }), ...body })}
        onSaved={() => undefined}
      />
    </Section>
  );
}

function ProviderKey(props: {
  name: string;
  prefix: string | undefined;
  onSet: () => void;
  onRemove: () => Promise<unknown>;
}) {
  const { name, prefix, onSet, onRemove } = props;
  return (
    <ItemRow name={name} detail={prefix === undefined ? 'No key' : <span className="mono">{prefix}…</span>}>
      <Changes>
        <Button
          size="xs"
          variant="default"
          aria-label={`${prefix === undefined ? 'Add key' : 'Replace'} for ${name}`}
          onClick={onSet}
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
          onConfirm={onRemove}
          onDone={() => undefined}
        >
          New calls with voices of {name} fail until there is a key again.
        </DeleteButton>
      )}
    </ItemRow>
  );
}

function fieldOf({ key, credential }: Vendor): FormField {
  return credential === 'service_account'
    ? {
        name: key,
        label: 'Service account key',
        description: 'The JSON of the key, as text.',
        kind: 'longText',
        required: true,
      }
    : { name: key, label: 'API key', kind: 'password', required: true };
}

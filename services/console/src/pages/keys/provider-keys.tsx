import { Stack } from '@mantine/core';
import { Section } from '../../components/layout.tsx';
import { keyVendors, ProviderKey } from '../../components/provider-key.tsx';

/** The keys of the account at text-to-speech providers. */
export function ProviderKeys() {
  return (
    <Section
      title="Voice provider keys"
      description="Voices that you add from a provider use your API key there, and the provider bills you."
    >
      <Stack gap="sm">
        {keyVendors.map((vendor) => (
          <ProviderKey key={vendor.key} vendor={vendor} />
        ))}
      </Stack>
    </Section>
  );
}

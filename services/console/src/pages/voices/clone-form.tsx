import { FileInput, Select, Skeleton, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type SyntheticEvent } from 'react';
import { fetchJson, type Schemas } from '../../api/client.ts';
import { useFormIssues } from '../../components/form-issues.ts';
import { FormActions } from '../../components/layout.tsx';
import { ProviderKey, useProviderKeys } from '../../components/provider-key.tsx';
import { ErrorState, OtherIssues } from '../../components/states.tsx';
import { AboutFields, type AboutVoice } from './about-fields.tsx';
import { cloningVendors, type CloningVendor } from './voice-options.ts';

interface CloneFormProps {
  onClose: () => void;
  onSaved?: (voiceId: string) => void;
}

/** Clones a voice from a recording, at a provider for which the account has a key. */
export function CloneForm(props: CloneFormProps) {
  const keys = useProviderKeys();
  if (keys.data) {
    const vendors = cloningVendors.filter(({ key }) => keys.data[key] !== undefined);
    return vendors.length > 0 ? <SampleForm {...props} vendors={vendors} /> : <KeyMissing />;
  }
  if (keys.error) return <ErrorState error={keys.error} onRetry={() => void keys.refetch()} />;
  return <Skeleton height={240} />;
}

function KeyMissing() {
  return (
    <Stack>
      <Text>
        Voices are cloned by {cloningVendors.map(({ name }) => name).join(' or ')}. Store your key for one of
        them first.
      </Text>
      {cloningVendors.map((vendor) => (
        <ProviderKey key={vendor.key} vendor={vendor} />
      ))}
    </Stack>
  );
}

function SampleForm({ vendors, onClose, onSaved }: CloneFormProps & { vendors: readonly CloningVendor[] }) {
  const [file, setFile] = useState<File | null>(null);
  const [about, setAbout] = useState<AboutVoice>({ name: '', description: '', language: 'en' });
  const [provider, setProvider] = useState<string>(vendors[0]?.key ?? '');
  const queries = useQueryClient();
  const clone = useMutation({
    mutationFn: async (sample: File) => {
      const body = new FormData();
      const fields = { ...about, provider };
      for (const [name, value] of Object.entries(fields)) {
        if (value.trim() !== '') body.set(name, value.trim());
      }
      body.set('file', sample);
      return (await fetchJson('/api/voices', { method: 'POST', body })) as Schemas['Voice'];
    },
    onSuccess: ({ voiceId }) => {
      void queries.invalidateQueries({ queryKey: ['voices'] });
      onClose();
      onSaved?.(voiceId);
    },
  });
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    if (file) clone.mutate(file);
  };
  const issues = useFormIssues(clone.error);
  const vendorName = vendors.find(({ key }) => key === provider)?.name ?? '';
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <FileInput
          label="Recording"
          description="One person who speaks, without noise. WAV, MP3, FLAC, Ogg, WebM or M4A, at most 10 MiB."
          placeholder="Choose a file"
          accept="audio/*"
          required
          value={file}
          onChange={setFile}
          error={issues.at('file')}
          clearable
          clearButtonProps={{ 'aria-label': 'Remove the recording' }}
        />
        <AboutFields
          about={about}
          onChange={setAbout}
          languageHint="Language of the recording: a BCP 47 tag, such as en or en-GB."
          languagePath="language"
          issues={issues}
        />
        <Select
          label="Provider"
          data={vendors.map(({ key, name }) => ({ value: key, label: name }))}
          value={provider}
          allowDeselect={false}
          onChange={(chosen) => chosen !== null && setProvider(chosen)}
          error={issues.at('provider')}
        />
        <Text fz="sm" c="dimmed">
          The recording is sent to {vendorName}, which stores it in your account there. Only clone voices of
          people who agreed.
        </Text>
        {clone.error && issues.all.length === 0 && <ErrorState error={clone.error} />}
        <OtherIssues issues={issues.elsewhere(['file', 'name', 'description', 'language', 'provider'])} />
        <FormActions
          submitLabel="Clone voice"
          isSending={clone.isPending}
          isDisabled={!file}
          onCancel={onClose}
        />
      </Stack>
    </form>
  );
}

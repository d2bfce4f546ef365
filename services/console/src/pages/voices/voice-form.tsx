import { SegmentedControl, Select, Stack } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type SyntheticEvent } from 'react';
import type { Issue } from '../../api/api-problem.ts';
import { dataOf, api, type Schemas } from '../../api/client.ts';
import { ErrorState, OtherIssues } from '../../components/states.tsx';
import { useFormIssues } from '../../components/form-issues.ts';
import { FormActions } from '../../components/layout.tsx';
import { keyVendors, ProviderKey } from '../../components/provider-key.tsx';
import { SideDrawer } from '../../components/side-drawer.tsx';
import { AboutFields } from './about-fields.tsx';
import { CloneForm } from './clone-form.tsx';
import { PreviewError, PreviewTextButton } from './preview-button.tsx';
import {
  defaultProvider,
  fieldsOf,
  isVoiceProvider,
  providerOptions,
  type VoiceProvider,
} from './voice-options.ts';
import { fetchDefinitionPreview, useVoicePreview } from './use-voice-preview.ts';
import { VoiceSettingsFields } from './voice-settings-fields.tsx';
import { settingsOf, valuesOf, type VoiceValues } from './voice-values.ts';

type Voice = Schemas['Voice'];

interface VoiceFormProps {
  /** The voice to change. Without it, the form adds a voice. */
  voice?: Voice;
  onClose: () => void;
  onSaved?: (voiceId: string) => void;
}

export function VoiceFormDrawer({ opened, ...form }: VoiceFormProps & { opened: boolean }) {
  return (
    <SideDrawer opened={opened} onClose={form.onClose} title={form.voice ? 'Edit voice' : 'Add voice'}>
      {form.voice ? <VoiceForm {...form} /> : <NewVoice {...form} />}
    </SideDrawer>
  );
}

/** A voice that exists at its provider, or one to clone from a recording. */
function NewVoice(form: VoiceFormProps) {
  const [from, setFrom] = useState('settings');
  return (
    <Stack>
      <SegmentedControl
        aria-label="Add a voice from"
        fullWidth
        data={[
          { value: 'settings', label: 'From a provider' },
          { value: 'recording', label: 'Clone a recording' },
        ]}
        value={from}
        onChange={setFrom}
      />
      {from === 'settings' ? <VoiceForm {...form} /> : <CloneForm {...form} />}
    </Stack>
  );
}

const PREVIEW_ID = 'form';

function VoiceForm({ voice, onClose, onSaved }: VoiceFormProps) {
  const initialProvider = providerOf(voice);
  const [about, setAbout] = useState({
    name: voice?.name ?? '',
    description: voice?.description ?? '',
    language: voice?.primaryLanguage ?? '',
  });
  const [provider, setProvider] = useState<VoiceProvider>(initialProvider);
  const [values, setValues] = useState<VoiceValues>(() =>
    valuesOf(fieldsOf(initialProvider), { ...voice?.definition[initialProvider] }),
  );
  const [unreadable, setUnreadable] = useState<readonly Issue[]>([]);
  const preview = useVoicePreview();
  const queries = useQueryClient();

  /** Null if a field is invalid, which then shows an error. */
  const request = (): Schemas['VoiceRequest'] | null => {
    const { settings, issues } = settingsOf(fieldsOf(provider), values);
    setUnreadable(issues);
    if (issues.length > 0) return null;
    return {
      name: about.name.trim(),
      description: about.description.trim() || null,
      primaryLanguage: about.language.trim() || null,
      definition: { [provider]: settings },
    };
  };
  const save = useMutation({
    mutationFn: (body: Schemas['VoiceRequest']) =>
      dataOf(
        voice
          ? api.PUT('/api/voices/{voice_id}', { params: { path: { voice_id: voice.voiceId } }, body })
          : api.POST('/api/voices', { body }),
      ),
    onSuccess: ({ voiceId }) => {
      void queries.invalidateQueries({ queryKey: ['voices'] });
      void queries.invalidateQueries({ queryKey: ['voice', voiceId] });
      onClose();
      onSaved?.(voiceId);
    },
  });
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    const body = request();
    if (body) save.mutate(body);
  };
  const fetchAudio = (signal: AbortSignal): Promise<Blob> => {
    const body = request();
    if (!body) return Promise.reject(new Error('Fix the settings first.'));
    return fetchDefinitionPreview({ ...body, name: body.name || 'Preview' }, signal);
  };

  const failed = preview.state.phase === 'failed' ? preview.state.problem : null;
  const issues = useFormIssues(save.error ?? failed);
  const settingIssue = (path: string): string | undefined =>
    unreadable.find((issue) => issue.path === path)?.message ?? issues.at(`definition.${provider}.${path}`);
  const vendor = keyVendors.find(({ key }) => key === provider);
  const known = ['name', 'description', 'primaryLanguage', `definition.${provider}`];
  const elsewhere = issues.elsewhere(known);
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <AboutFields
          about={about}
          onChange={setAbout}
          languageHint="A BCP 47 tag, such as en or en-GB. Leave empty for any language."
          issues={issues}
          languagePath="primaryLanguage"
        />
        <Select
          label="Provider"
          data={providerOptions}
          value={provider}
          allowDeselect={false}
          onChange={(chosen) => {
            if (chosen === null || !isVoiceProvider(chosen)) return;
            setProvider(chosen);
            setUnreadable([]);
          }}
          description={
            provider === 'generic'
              ? 'Your own service, called with one HTTP request per sentence.'
              : 'Calls with this voice use your key at this provider, which bills you.'
          }
          error={issues.all.some(({ path }) => path === 'definition') && issues.at('definition')}
        />
        {vendor && <ProviderKey key={`key for ${provider}`} vendor={vendor} label="Your key" />}
        <VoiceSettingsFields
          key={provider}
          fields={fieldsOf(provider)}
          values={values}
          onChange={(path, value) => setValues((before) => ({ ...before, [path]: value }))}
          issueOf={settingIssue}
        />
        {save.error && issues.all.length === 0 && <ErrorState error={save.error} />}
        <OtherIssues issues={elsewhere} />
        {failed?.issues.length === 0 && <PreviewError preview={preview} id={PREVIEW_ID} />}
        <FormActions
          submitLabel={voice ? 'Save' : 'Add voice'}
          isSending={save.isPending}
          onCancel={onClose}
          aside={
            <PreviewTextButton
              preview={preview}
              id={PREVIEW_ID}
              name="this voice"
              fetchAudio={fetchAudio}
              label="Try it"
            />
          }
        />
      </Stack>
    </form>
  );
}

function providerOf(voice: Voice | undefined): VoiceProvider {
  return Object.keys(voice?.definition ?? {}).find(isVoiceProvider) ?? defaultProvider;
}

import { Button, Group, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'react-router';
import { MicIcon } from 'lucide-react';
import { dataOf, api, type Schemas } from '../../api/client.ts';
import { Copyable, JsonView } from '../../components/copyable.tsx';
import { DeleteButton } from '../../components/delete-button.tsx';
import { EditButton } from '../../components/edit-button.tsx';
import { ErrorState } from '../../components/states.tsx';
import { Facts } from '../../components/layout.tsx';
import { SideDrawer } from '../../components/side-drawer.tsx';
import { PreviewError, PreviewTextButton } from './preview-button.tsx';
import { billingText, languageName, providerLabel } from './voice-options.ts';
import { fetchPreview, type VoicePreview } from './use-voice-preview.ts';
import { VoiceFormDrawer } from './voice-form.tsx';

type Voice = Schemas['Voice'];

/** Details of a voice; open while `voiceId` is set. */
export function VoiceDrawer(props: { voiceId: string | null; preview: VoicePreview; onClose: () => void }) {
  const { voiceId, preview, onClose } = props;
  const voice = useQuery({
    queryKey: ['voice', voiceId],
    enabled: voiceId !== null,
    queryFn: () =>
      dataOf(api.GET('/api/voices/{voice_id}', { params: { path: { voice_id: voiceId ?? '' } } })),
  });
  return (
    <SideDrawer opened={voiceId !== null} onClose={onClose} title="Voice">
      {voice.data && <VoiceDetails voice={voice.data} preview={preview} onDeleted={onClose} />}
      {!voice.data && voice.error && <ErrorState error={voice.error} onRetry={() => void voice.refetch()} />}
      {voice.isPending && <Skeleton height={180} />}
    </SideDrawer>
  );
}

function VoiceDetails(props: { voice: Voice; preview: VoicePreview; onDeleted: () => void }) {
  const { voice, preview, onDeleted } = props;
  const { voiceId, name, definition } = voice;
  const [isEditing, setEditing] = useState(false);
  const queries = useQueryClient();
  const settings = Object.values(definition)[0];
  return (
    <Stack>
      <div>
        <Title order={2} fz="lg">
          {name}
        </Title>
        {voice.description && <Text c="dimmed">{voice.description}</Text>}
      </div>
      <Group gap="xs">
        <PreviewTextButton
          preview={preview}
          id={voiceId}
          name={name}
          fetchAudio={(signal) => fetchPreview(voiceId, signal)}
        />
        <Button
          variant="default"
          component={Link}
          to={`/talk?voice=${voiceId}`}
          leftSection={<MicIcon size={16} />}
        >
          Talk to this voice
        </Button>
      </Group>
      <PreviewError preview={preview} id={voiceId} />
      <Facts
        facts={[
          ['Id', <Copyable text={voiceId} what="voice id" />],
          ['Language', languageText(voice)],
          ['Provider', providerLabel(voice.provider)],
          ['Billing', billingText(voice.billingStyle)],
          ['Owner', voice.ownership === 'private' ? 'Your account' : 'Public: available to every account'],
        ]}
      />
      {settings && (
        <div>
          <Text fw={550} mb={6}>
            Settings
          </Text>
          <JsonView value={settings} />
        </div>
      )}
      {voice.ownership === 'private' && (
        <Group gap="xs">
          <EditButton onClick={() => setEditing(true)} />
          <DeleteButton
            what="voice"
            title={`Delete “${name}”?`}
            onConfirm={() =>
              dataOf(api.DELETE('/api/voices/{voice_id}', { params: { path: { voice_id: voiceId } } }))
            }
            onDone={() => {
              onDeleted();
              void queries.invalidateQueries({ queryKey: ['voices'] });
            }}
          >
            Existing calls keep this voice. Agents that use it cannot start calls until they get another
            voice.
          </DeleteButton>
        </Group>
      )}
      <VoiceFormDrawer opened={isEditing} onClose={() => setEditing(false)} voice={voice} />
    </Stack>
  );
}

function languageText({ primaryLanguage, languageLabel }: Voice): string {
  return primaryLanguage ? `${languageLabel ?? languageName(primaryLanguage)} (${primaryLanguage})` : 'Any';
}

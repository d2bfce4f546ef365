import { Button, Text } from '@mantine/core';
import { useMemo, useState } from 'react';
import { useSearchParams } from 'react-router';
import { PlusIcon } from 'lucide-react';
import { dataOf, api, type Schemas } from '../../api/client.ts';
import { useList } from '../../api/use-list.ts';
import { Changes } from '../../components/changes.tsx';
import { EmptyState } from '../../components/states.tsx';
import { TitleCell } from '../../components/list-cells.tsx';
import { Page } from '../../components/page.tsx';
import { ResourceTable, type Column } from '../../components/resource-table.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { PreviewError, PreviewIconButton } from './preview-button.tsx';
import { billingText, languageName, providerLabel } from './voice-options.ts';
import { fetchPreview, useVoicePreview, type VoicePreview } from './use-voice-preview.ts';
import { VoiceDrawer } from './voice-drawer.tsx';
import { filterOf, VoiceFilters } from './voice-filters.tsx';
import { VoiceFormDrawer } from './voice-form.tsx';
import classes from './voices-page.module.css';

type Voice = Schemas['Voice'];

export function Component() {
  const [params, setParams] = useSearchParams();
  const preview = useVoicePreview();
  const [isAdding, setAdding] = useState(false);
  const filter = filterOf(params);
  const list = useList<Voice>(['voices', filter], (cursor) =>
    dataOf(api.GET('/api/voices', { params: { query: { ...cursor, ...filter } } })),
  );
  const set = (name: string, value: string | null): void =>
    setParams(
      (before) => {
        const after = new URLSearchParams(before);
        if (value) after.set(name, value);
        else after.delete(name);
        return after;
      },
      { replace: true },
    );
  const linkOf = ({ voiceId }: Voice): string => {
    const opened = new URLSearchParams(params);
    opened.set('voice', voiceId);
    return `?${opened}`;
  };
  const columns = useMemo(() => columnsOf(preview), [preview]);
  const isFiltered = Object.keys(filter).length > 0;
  const add = (
    <Changes>
      {' '}
      <Button leftSection={<PlusIcon size={16} />} onClick={() => setAdding(true)}>
        Add voice
      </Button>
    </Changes>
  );
  return (
    <Page
      title="Voices"
      description="Voices for your agents: public ones, and those that you add."
      actions={add}
    >
      <VoiceFilters params={params} onChange={set} />
      <ResourceTable
        caption="Voices"
        list={list}
        columns={columns}
        keyOf={({ voiceId }) => voiceId}
        linkOf={linkOf}
        empty={
          isFiltered ? (
            <EmptyState
              title="No voice matches these filters"
              action={
                <Button variant="default" onClick={() => setParams({})}>
                  Show all voices
                </Button>
              }
            />
          ) : (
            <EmptyState title="There are no voices">
              Add a voice of a provider or of your own endpoint.
            </EmptyState>
          )
        }
      />
      <VoiceDrawer voiceId={params.get('voice')} preview={preview} onClose={() => set('voice', null)} />
      <VoiceFormDrawer
        opened={isAdding}
        onClose={() => setAdding(false)}
        onSaved={(id) => set('voice', id)}
      />
    </Page>
  );
}

function columnsOf(preview: VoicePreview): Column<Voice>[] {
  return [
    {
      key: 'name',
      header: 'Name',
      width: '47%',
      cell: ({ name, description }) => <TitleCell title={<span>{name}</span>} text={description} />,
    },
    {
      key: 'preview',
      header: 'Listen',
      cell: ({ voiceId, name }) => (
        <div className={classes.preview}>
          <PreviewIconButton
            preview={preview}
            id={voiceId}
            name={name}
            fetchAudio={(signal) => fetchPreview(voiceId, signal)}
          />
          <PreviewError preview={preview} id={voiceId} />
        </div>
      ),
    },
    {
      key: 'language',
      header: 'Language',
      wideOnly: true,
      cell: ({ primaryLanguage, languageLabel }) =>
        languageLabel ?? (primaryLanguage ? languageName(primaryLanguage) : <Text c="dimmed">Any</Text>),
    },
    { key: 'provider', header: 'Provider', wideOnly: true, cell: ({ provider }) => providerLabel(provider) },
    {
      key: 'billing',
      header: 'Billing',
      wideOnly: true,
      cell: ({ billingStyle }) => billingText(billingStyle),
    },
    {
      key: 'owner',
      header: 'Owner',
      wideOnly: true,
      cell: ({ ownership }) =>
        ownership === 'private' ? (
          <StatusBadge tone="good">Yours</StatusBadge>
        ) : (
          <StatusBadge tone="neutral">Public</StatusBadge>
        ),
    },
  ];
}

import { Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { answerOf, api } from '../../api/client.ts';
import { SETTLED_MS } from '../../components/search-input.tsx';

const SHOWN_VOICES = 60;

/** Selects a catalogue voice by id, or the default (''). */
export function VoiceSelect(props: {
  value: string;
  onChange: (voiceId: string) => void;
  error?: string;
  disabled: boolean;
}) {
  const { value, onChange, error, disabled } = props;
  const [text, setText] = useState('');
  const [search] = useDebouncedValue(text.trim(), SETTLED_MS);
  const found = useQuery({
    queryKey: ['voices', 'names', search],
    queryFn: () =>
      answerOf(
        api.GET('/api/voices', {
          params: { query: { pageSize: SHOWN_VOICES, ...(search !== '' && { search }) } },
        }),
      ),
    placeholderData: keepPreviousData,
  });
  const chosen = useQuery({
    queryKey: ['voice', value],
    queryFn: () => answerOf(api.GET('/api/voices/{voice_id}', { params: { path: { voice_id: value } } })),
    enabled: value !== '',
  });
  const voices = [...(found.data?.results ?? [])];
  if (chosen.data && voices.every(({ voiceId }) => voiceId !== value)) voices.unshift(chosen.data);
  const options = voices.map(({ voiceId, name }) => ({ value: voiceId, label: name }));
  return (
    <Select
      label="Voice"
      placeholder="The default voice"
      data={options}
      value={value === '' ? null : value}
      onChange={(voiceId) => {
        setText('');
        onChange(voiceId ?? '');
      }}
      searchable
      clearable
      clearButtonProps={{ 'aria-label': 'The default voice' }}
      onSearchChange={(typed) => setText(options.some(({ label }) => label === typed) ? '' : typed)}
      filter={({ options: all }) => all}
      nothingFoundMessage={found.isPending ? 'Loading…' : 'No voice with this name'}
      error={error}
      disabled={disabled}
    />
  );
}

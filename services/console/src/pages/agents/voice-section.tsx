import { SimpleGrid } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { dataOf, api } from '../../api/client.ts';
import { Section } from '../../components/layout.tsx';
import { SETTLED_MS } from '../../components/search-input.tsx';
import { ChoiceField, type Choice } from '../../components/editor/fields.tsx';

const MEDIUMS: readonly Choice[] = [
  { value: 'MESSAGE_MEDIUM_VOICE', label: 'Voice' },
  { value: 'MESSAGE_MEDIUM_TEXT', label: 'Text' },
];

export function VoiceSection() {
  const [typed, setTyped] = useState('');
  const [search] = useDebouncedValue(typed.replace(/ · .*$/u, ''), SETTLED_MS);
  const voices = useQuery({
    queryKey: ['voices', 'choices', search],
    queryFn: () =>
      dataOf(api.GET('/api/voices', { params: { query: { pageSize: 100, ...(search && { search }) } } })),
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  });
  const choices = new Map(
    (voices.data?.results ?? []).map(({ name, languageLabel }) => [
      name,
      { value: name, label: labelOf(name, languageLabel) },
    ]),
  );
  return (
    <Section title="Voice">
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <ChoiceField
          path="voice"
          label="Voice"
          choices={[...choices.values()]}
          placeholder="Default"
          searchable
          onSearch={setTyped}
        />
        <ChoiceField
          path="initialOutputMedium"
          label="Responds by"
          choices={MEDIUMS}
          placeholder="Voice"
          description="At the start; a call can change it."
        />
      </SimpleGrid>
    </Section>
  );
}

function labelOf(name: string, language: string | null): string {
  return language === null || name.includes(language) ? name : `${name} · ${language}`;
}

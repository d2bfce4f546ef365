import { Autocomplete, Group, Textarea, TextInput } from '@mantine/core';
import type { FormIssues } from '../../components/form-issues.ts';
import { languageName, languageOptions } from './voice-options.ts';

/** Form values. */
export interface AboutVoice {
  name: string;
  description: string;
  /** BCP 47. */
  language: string;
}

const LANGUAGES = languageOptions().map(({ value }) => value);

/** Name, description and language of a voice. */
export function AboutFields(props: {
  about: AboutVoice;
  onChange: (about: AboutVoice) => void;
  languageHint: string;
  /** Where the language is in requests. */
  languagePath: string;
  issues: FormIssues;
}) {
  const { about, onChange, languageHint, languagePath, issues } = props;
  return (
    <>
      <TextInput
        label="Name"
        required
        maxLength={40}
        value={about.name}
        onChange={(event) => onChange({ ...about, name: event.currentTarget.value })}
        error={issues.at('name')}
        data-autofocus
      />
      <Textarea
        label="Description"
        autosize
        maxLength={240}
        value={about.description}
        onChange={(event) => onChange({ ...about, description: event.currentTarget.value })}
        error={issues.at('description')}
      />
      <Autocomplete
        label="Language"
        description={languageHint}
        data={LANGUAGES}
        renderOption={({ option }) => (
          <Group gap="xs">
            <span className="mono">{option.value}</span> {languageName(option.value)}
          </Group>
        )}
        limit={8}
        maxLength={10}
        value={about.language}
        onChange={(language) => onChange({ ...about, language })}
        error={issues.at(languagePath)}
      />
    </>
  );
}

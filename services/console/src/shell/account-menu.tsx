import { Menu, Text, UnstyledButton, useMantineColorScheme, type MantineColorScheme } from '@mantine/core';
import {
  BookOpenIcon,
  CheckIcon,
  ChevronDownIcon,
  MoonIcon,
  MonitorIcon,
  LogOutIcon,
  SunIcon,
} from 'lucide-react';
import type { Session } from '../session/session.ts';
import { useSignOut } from '../session/session.ts';
import classes from './shell.module.css';

const SCHEMES: readonly { scheme: MantineColorScheme; label: string; Icon: typeof SunIcon }[] = [
  { scheme: 'auto', label: 'System', Icon: MonitorIcon },
  { scheme: 'light', label: 'Light', Icon: SunIcon },
  { scheme: 'dark', label: 'Dark', Icon: MoonIcon },
];

export function AccountMenu({ session }: { session: Session }) {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const signOut = useSignOut();
  return (
    <Menu position="top-start" width={208} withinPortal>
      <Menu.Target>
        <UnstyledButton className={classes.entry} w="100%">
          <span style={{ flex: 1, minWidth: 0 }}>
            <Text component="span" display="block" truncate fz="sm" fw={550}>
              {session.account.name || 'Account'}
            </Text>
            <Text component="span" display="block" truncate fz="xs" c="dimmed" className="mono">
              {session.key.prefix}…
            </Text>
          </span>
          <ChevronDownIcon size={16} />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>Appearance</Menu.Label>
        {SCHEMES.map(({ scheme, label, Icon }) => (
          <Menu.Item
            key={scheme}
            leftSection={<Icon size={16} />}
            rightSection={scheme === colorScheme && <CheckIcon size={16} />}
            aria-current={scheme === colorScheme}
            onClick={() => setColorScheme(scheme)}
          >
            {label}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item component="a" href="/docs/" target="_blank" leftSection={<BookOpenIcon size={16} />}>
          Documentation
        </Menu.Item>
        <Menu.Item leftSection={<LogOutIcon size={16} />} onClick={() => signOut.mutate()}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

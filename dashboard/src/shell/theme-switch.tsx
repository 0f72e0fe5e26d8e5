import { useState } from 'react';
import { applyTheme, rememberedTheme, rememberTheme, THEMES, type Theme } from './theme.js';

const LABELS: Readonly<Record<Theme, string>> = { system: 'Auto', light: 'Light', dark: 'Dark' };

export function ThemeSwitch() {
  const [chosen, setChosen] = useState(rememberedTheme);
  const choose = (theme: Theme) => {
    setChosen(theme);
    rememberTheme(theme);
    applyTheme(theme);
  };
  return (
    <fieldset className="theme-switch">
      <legend className="visually-hidden">Theme</legend>
      {THEMES.map(theme => (
        <label key={theme}>
          <input type="radio" name="theme" checked={chosen === theme} onChange={() => choose(theme)} />
          <span>{LABELS[theme]}</span>
        </label>
      ))}
    </fieldset>
  );
}

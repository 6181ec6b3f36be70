import { language, speak, t } from '../texts/index.ts'
import { applyTheme, isDark } from '../theme.ts'
import { attempt, Select } from './basics.tsx'
import { Icon } from './icon.tsx'

/** Language, and light or dark. */
export const Chooser = () => (
  <div class="chooser">
    <Select
      aria-label={t('language')}
      value={language.value}
      options={[
        ['en', 'English'],
        ['sw', 'Kiswahili'],
      ]}
      change={chosen => attempt(() => speak(chosen === 'sw' ? 'sw' : 'en'))}
    />
    <button
      type="button"
      class="bare"
      aria-label={t(isDark() ? 'light' : 'dark')}
      onClick={() => applyTheme(isDark() ? 'light' : 'dark')}
    >
      <Icon name={isDark() ? 'sun' : 'moon'} />
    </button>
  </div>
)

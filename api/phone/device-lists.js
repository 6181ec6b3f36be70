import { t } from './texts.js'

function fill(select, devices, fallback) {
  const chosen = select.value
  const entries = devices.filter(({ deviceId }) => deviceId !== '' && deviceId !== 'default')
  select.replaceChildren(
    new Option(fallback, ''),
    ...entries.map(({ deviceId, label }) => new Option(label || t('Unnamed'), deviceId)),
  )
  select.value = entries.some(({ deviceId }) => deviceId === chosen) ? chosen : ''
}

/** What there is, with the chosen one kept where it still is. */
export async function fillDevices(phone, input, output) {
  const { inputs, outputs } = await phone.listDevices()
  fill(input, inputs, t('System default'))
  fill(output, outputs, t('System default'))
}

/** The slider is remembered for the next visit. */
export function watchVolume(phone, slider) {
  const before = Number(localStorage.getItem('volume') ?? 1)
  slider.value = String(before >= 0 && before <= 1 ? before : 1)
  phone.setVolume(Number(slider.value))
  slider.addEventListener('input', () => {
    phone.setVolume(Number(slider.value))
    localStorage.setItem('volume', slider.value)
  })
}

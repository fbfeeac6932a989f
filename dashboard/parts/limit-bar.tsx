interface Props {
  readonly label: string
  readonly used: number
  readonly most: number
  readonly words: string
}

export const LimitBar = ({ label, used, most, words }: Props) => (
  <div class="limit">
    <b>{label}</b>
    <meter aria-label={label} min={0} max={most} high={most * 0.8} value={Math.min(used, most)}>
      {words}
    </meter>
    <span class="soft num">{words}</span>
  </div>
)

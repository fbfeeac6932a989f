import { html } from 'hono/html'
import { testCards } from '../../service/domain/cards.ts'

/** The cards that can be typed here, and what each does. */
export const testCardList = () =>
  html`<details class="test-cards">
    <summary>Test cards</summary>
    <p>
      With any expiry that is not past, any CVC and any name. Every other card is approved, if its check digit
      is right.
    </p>
    <table>
      <thead>
        <tr>
          <th scope="col">Card number</th>
          <th scope="col">What it does</th>
        </tr>
      </thead>
      <tbody>
        ${testCards.map(
          ({ number, brand, title }) =>
            html`<tr>
              <td><code>${grouped(number)}</code> <small>${brand}</small></td>
              <td>${title}</td>
            </tr>`,
        )}
      </tbody>
    </table>
  </details>`

/** As it stands on the card. */
const grouped = (number: string) =>
  number.startsWith('3') ? number.replace(/^(.{4})(.{6})/, '$1 $2 ') : number.replace(/(.{4})(?=.)/g, '$1 ')

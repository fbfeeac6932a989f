/** Common names in countries that the names library lacks. */

interface Names {
  readonly first: readonly string[]
  readonly last: readonly string[]
}

const names = (first: string, last: string): Names => ({ first: first.split(' '), last: last.split(' ') })

export const ownNames: { readonly [country: string]: Names } = {
  KE: names(
    'Amina Achieng Brian Chebet Cynthia Dennis Esther Faith Grace Hassan Ian Jane John Joyce Kevin Lilian Mary Mercy Moses Naomi Otieno Peter Purity Samuel Stephen Susan Victor Wanjiru Winnie Zainab',
    'Abdi Achieng Barasa Chege Cheruiyot Gitau Kamau Karanja Kariuki Kiprop Kipchumba Kimani Koech Langat Maina Mbugua Mohamed Muthoni Mutua Mwangi Ndungu Njoroge Nyambura Ochieng Odhiambo Omondi Onyango Otieno Wafula Wambui',
  ),
  TZ: names(
    'Abdallah Aisha Baraka Daudi Emmanuel Fatuma Furaha Godfrey Halima Hamisi Juma Kelvin Mariam Mwanaidi Neema Rehema Salma Said Upendo Zuberi',
    'Ally Bakari Hassan Juma Kapinga Komba Lema Lyimo Macha Makame Massawe Mbwana Mrema Mushi Mwakyusa Ndosi Ngowi Salum Shayo Temba',
  ),
  UG: names(
    'Agnes Apio Brenda David Doreen Emmanuel Fiona Isaac Joan Joseph Juliet Lubega Moses Nakato Patrick Phiona Ronald Sarah Simon Wasswa',
    'Akello Apio Byaruhanga Kato Kiggundu Lubega Mugisha Mukasa Mutebi Muwanga Nabirye Nakato Namutebi Nsubuga Okello Okot Opio Ssebunya Ssemakula Tumusiime',
  ),
  RW: names(
    'Aline Alice Claudine Diane Emmanuel Eric Esperance Fabrice Gaspard Honorine Innocent Jeanne Josiane Olivier Pacifique Patrick Solange Thierry Vestine Yves',
    'Bizimana Gasana Habimana Hakizimana Iradukunda Ishimwe Kagabo Mugabo Mukamana Munyaneza Murekatete Mutesi Ndayisaba Niyonzima Nsengimana Nshimiyimana Rukundo Twagirayezu Uwase Uwimana',
  ),
  ZM: names(
    'Alick Bwalya Chanda Chileshe Chola Clement Dalitso Esnart Given Joseph Kelvin Kondwani Mary Memory Mutinta Mwila Natasha Patience Ruth Thandiwe',
    'Banda Bwalya Chanda Daka Hamweemba Kabwe Lungu Mbewe Moyo Mulenga Mumba Musonda Mwale Mwansa Ngoma Nkhoma Phiri Sakala Tembo Zulu',
  ),
  BW: names(
    'Boitumelo Gorata Kagiso Kabelo Kefilwe Lesedi Lorato Masego Mpho Neo Onalenna Oratile Pako Refilwe Tebogo Thabo Thato Tiro Tshepo Tumelo',
    'Dikgang Kgosi Khama Kgari Lekoko Maruping Masire Modise Mogae Mokgosi Molefe Moroka Mosweu Mothibi Pheto Pilane Ramotswe Seretse Sebego Tau',
  ),
}

export const trades: readonly string[] =
  'Agrovet Bakery Books Butchery Clinic Dairy Electronics Enterprises Fashion Foods Furniture Hardware Logistics Motors Pharmacy Phones Salon Stores Traders Travel'.split(
    ' ',
  )

export const PASSAGE = `The Great Lakes ferry Star of Winona left service in 1998, after forty-one years on the water. She was built in Bay City, Michigan, for the Larsen family, who wanted a ship that could carry cars as well as people. In her best year, 1974, she made 612 crossings and carried 88,000 passengers.

A storm in November 1983 tore away her bow door, but the crew of nineteen brought her safely into Manitowoc. Today she lies at a pier in Duluth, where volunteers keep her engine running and show visitors the bridge on Sundays.`;

export const QUESTIONS = [
  "When did the ferry leave service?",
  "How many passengers did she carry in 1974?",
  "Where does she lie today?",
  "Where was the ship built?",
];

export const LINES = [
  "Dentist on Tuesday at half past nine",
  "The spare key is under the blue flower pot",
  "Renew the passport before the trip to Lisbon",
  "Wi-Fi at the cabin: moonlight-42",
  "Grandma's plum cake: bake for fifty minutes",
  "The train to Basel leaves from platform seven",
  "Pay the electricity bill by the end of the month",
  "Our cat needs her tablets every evening",
  "Paul is allergic to peanuts",
  "Return the library books on Friday",
];

export const QUERIES = [
  "medicine for the pet",
  "railway departure",
  "how do I unlock the door",
  "recipe for dessert",
];

export const REVIEWS = [
  "A film to remember: funny, warm and beautifully played.",
  "It drags for two hours and goes nowhere.",
  "The songs are fine, but the story never wakes up.",
];

export const WISHES = [
  "a cheap thai place open after ten near the river",
  "where can i get a good pizza with outdoor seating",
  "is there a five star steakhouse within ten miles that takes reservations",
];

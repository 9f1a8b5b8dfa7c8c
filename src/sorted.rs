//! A map in the order of its keys, kept as one sorted list.
//!
//! `BTreeMap` has better bounds and costs 7 to 10 kB of the module for each pair of types. Ten thousand entries of a few words
//! are moved within microseconds; box what is larger.

/// Keys and their values, in the order of the keys.
#[derive(Debug)]
pub(crate) struct SortedMap<K, V> {
    entries: Vec<(K, V)>,
}

impl<K, V> Default for SortedMap<K, V> {
    fn default() -> Self {
        Self { entries: Vec::new() }
    }
}

impl<K: Ord, V> SortedMap<K, V> {
    /// How many entries there are.
    pub(crate) const fn len(&self) -> usize {
        self.entries.len()
    }

    /// The value of `key`.
    pub(crate) fn get(&self, key: &K) -> Option<&V> {
        let at = self.find(key).ok()?;
        self.entries.get(at).map(|(_, value)| value)
    }

    /// Keeps the entries that `is_kept` wants.
    pub(crate) fn retain(&mut self, mut is_kept: impl FnMut(&K, &V) -> bool) {
        self.entries.retain(|(key, value)| is_kept(key, value));
    }

    /// The value of `key`, to be changed.
    pub(crate) fn get_mut(&mut self, key: &K) -> Option<&mut V> {
        let at = self.find(key).ok()?;
        self.entries.get_mut(at).map(|(_, value)| value)
    }

    /// Gives `key` this value in place of the one that it had.
    pub(crate) fn insert(&mut self, key: K, value: V) {
        match self.find(&key) {
            Ok(at) => {
                if let Some(entry) = self.entries.get_mut(at) {
                    *entry = (key, value);
                }
            }
            Err(at) => self.entries.insert(at, (key, value)),
        }
    }

    /// Forgets `key`.
    pub(crate) fn remove(&mut self, key: &K) {
        if let Ok(at) = self.find(key) {
            self.entries.remove(at);
        }
    }

    /// All entries, in the order of the keys.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&K, &V)> {
        self.entries.iter().map(|(key, value)| (key, value))
    }

    /// Where `key` is, or where it would be.
    fn find(&self, key: &K) -> Result<usize, usize> {
        self.entries.binary_search_by(|(known, _)| known.cmp(key))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_holds_the_last_value_of_each_key_in_order() {
        let mut map = SortedMap::default();
        for (key, value) in [(5, 'a'), (1, 'b'), (3, 'c'), (5, 'd'), (2, 'e')] {
            map.insert(key, value);
        }
        map.remove(&3);
        map.remove(&4);
        if let Some(value) = map.get_mut(&1) {
            *value = 'f';
        }
        assert_eq!(map.iter().collect::<Vec<_>>(), [(&1, &'f'), (&2, &'e'), (&5, &'d')]);
        assert_eq!((map.len(), map.get(&5), map.get(&3)), (3, Some(&'d'), None));
        map.retain(|key, value| *key < 5 && *value != 'e');
        assert_eq!(map.iter().collect::<Vec<_>>(), [(&1, &'f')]);
    }
}
